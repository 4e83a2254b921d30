public import Observation

/// A view that a screen shows: its value and its phase, on the main actor. One commit updates all live values of a client in
/// one turn.
///
///     let price = space.live("auction.lots")
///     Text(price.value.map { "\($0)" } ?? "…")
@MainActor @Observable
public final class LiveValue<Value: Sendable> {
    /// The value and its phase, which change together.
    public private(set) var shown: Shown<Value>

    /// The last value; nil before the first one, and for a view that is refused.
    public var value: Value? { shown.value }
    /// The state of the view.
    public var phase: Phase { shown.phase }
    /// The reason why the server does not show the view; nil if it does.
    public var problem: ServerProblem? { if case .refused(let problem) = shown.phase { problem } else { nil } }

    @ObservationIgnored private var watching: Watching?

    init() {
        shown = Shown(value: nil, phase: .loading)
    }

    func hold(_ watching: Watching) { self.watching = watching }

    func take(_ shown: Shown<Value>) { self.shown = shown }
}

/// A value with its phase.
public struct Shown<Value: Sendable>: Sendable {
    /// The last value; nil before the first one, and for a view that is refused.
    public let value: Value?
    /// The state of the view.
    public let phase: Phase
    /// A number that grows when a value comes, and stays when the phase alone changes.
    package var revision = 0
}

extension Shown: Equatable where Value: Equatable {
    /// Returns true if the values and the phases are equal.
    public static func == (one: Shown, other: Shown) -> Bool { one.value == other.value && one.phase == other.phase }
}

extension Shown {
    /// Reads a value; one that its type does not take is refused.
    init(_ shown: ShownValue, _ name: ViewName<Value>, revision: Int = 0) {
        guard let json = shown.value else {
            self.init(value: nil, phase: shown.phase)
            return
        }
        do {
            self.init(value: try name.read(json), phase: shown.phase, revision: revision)
        } catch {
            let problem = ServerProblem(
                type: "/problems/unreadable",
                detail: "\(name.name) has a value that \(Value.self) does not take: \(error)")
            self.init(value: nil, phase: .refused(problem))
        }
    }
}
