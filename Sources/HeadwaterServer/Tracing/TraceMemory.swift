import Platform
import HTTP
import StateStore

/// The traces of the last commits, which the deliveries of hooks hand on. In memory only: after a restart a delivery
/// belongs to no trace.
final class TraceMemory: Sendable {
    /// The commits that are remembered.
    static let limit = 1_024

    private struct CommitPlace: Hashable {
        let space: SpaceName
        let version: Int
    }

    private struct State {
        var traces: [CommitPlace: TraceContext] = [:]
        var order: [CommitPlace] = []
        var next = 0
    }

    private let state = Lock(State())

    /// Notes the trace of a commit.
    func note(_ trace: TraceContext, _ space: SpaceName, _ version: Int) {
        let place = CommitPlace(space: space, version: version)
        state.with { state in
            guard state.traces.updateValue(trace, forKey: place) == nil else { return }
            if state.order.count < Self.limit {
                state.order.append(place)
            } else {
                state.traces[state.order[state.next]] = nil
                state.order[state.next] = place
                state.next = (state.next + 1) % Self.limit
            }
        }
    }

    /// Returns the trace of a commit; nil if it has none.
    func trace(of space: SpaceName, _ version: Int) -> TraceContext? {
        state.with { $0.traces[CommitPlace(space: space, version: version)] }
    }
}
