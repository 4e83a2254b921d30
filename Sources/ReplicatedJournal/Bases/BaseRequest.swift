internal import Ground
internal import Reactive
package import SQLiteJournal
package import StateStore

/// The question whether a copy can follow the log, and the base that another node gives to one that cannot.
///
/// It runs on its executor, before the journal of the node is opened.
package final class BaseRequest {
    /// The time to wait for the leases of other nodes.
    private static let patience = Duration.seconds(3)

    private let log: any SharedLog
    private let executor: any Executor
    private let node: String
    private let positions: [Lane: LanePosition]
    private let lanes: Int?
    /// The first entries that the log has.
    private var firsts: [Lane: Int] = [:]
    private var leases: [String: Lease] = [:]
    /// The first entries of lanes that were repaired.
    private var repaired: [Lane: Int] = [:]
    private var subscription: LogSubscription?

    /// A question for a copy with `rows`, of the node of a name.
    package init(_ node: String, _ rows: [CopyRow], _ log: any SharedLog, on executor: any Executor) {
        (self.node, self.log, self.executor) = (node, log, executor)
        positions = Dictionary(rows.compactMap { LanePosition.read($0) }.map { ($0.lane, $0.position) }) { $1 }
        // Settings that cannot be read are reported when the journal is opened.
        lanes = (try? ClusterSettings(rows))??.lanes
    }

    // MARK: Looking

    /// Calls `done` on the executor: with true if the log no longer has entries that the copy needs, with nil if the log
    /// does not answer.
    package func look(_ done: @escaping (Bool?) -> Void) {
        if let lanes { return look(at: Lane.all(lanes)[...], done) }
        let owned = Confined((request: self, done: done))
        // A new node learns the number of lanes from the first entry.
        log.entry(1, of: .common) { result in
            owned.value.request.executor.post {
                let (request, done) = owned.value
                switch result {
                case .success(let bytes?):
                    guard let entry = try? LogEntry.decode(bytes).entry,
                        let settings = try? ClusterSettings(bytes: entry.content)
                    else { return done(nil) }
                    request.look(at: Lane.all(settings.lanes)[...], done)
                case .success(nil): done(nil)
                case .failure(let failure): done(failure.kind == .gone ? true : nil)
                }
            }
        }
    }

    private func look(at lanes: ArraySlice<Lane>, _ done: @escaping (Bool?) -> Void) {
        guard let lane = lanes.first else {
            return done(firsts.contains { lane, first in first > (positions[lane]?.number ?? 0) + 1 })
        }
        let owned = Confined((request: self, lanes: lanes, done: done))
        log.extent(of: lane) { result in
            owned.value.request.executor.post {
                let (request, lanes, done) = owned.value
                guard case .success(let extent) = result else { return done(nil) }
                request.note(extent, of: lane)
                request.look(at: lanes.dropFirst(), done)
            }
        }
    }

    /// Notes where a lane begins. One that was repaired from another node begins anew for a copy that has more.
    private func note(_ extent: LaneExtent, of lane: Lane) {
        let position = positions[lane] ?? LanePosition()
        let isRepaired = !position.identity.isEmpty && position.identity != extent.identity && extent.first > 1
        let isOther = isRepaired && extent.first != position.number + 1
        firsts[lane] = isOther ? .max : extent.first
        if isOther { repaired[lane] = extent.first }
    }

    // MARK: Taking

    /// Takes a base from a node that has what the log lacks, and publishes it in a sink. Calls `done` on the executor:
    /// with the name of that node, or with nil if no living node has it.
    package func take(
        _ makeSink: @escaping () throws(JournalFailure) -> any BaseSink,
        _ done: @escaping (Result<String?, JournalFailure>) -> Void
    ) {
        let owned = Confined(self)
        subscription = log.watchLeases { stored in
            owned.value.executor.post { owned.value.leases[stored.lease.node] = stored.lease }
        }
        let scheduler = executor.scheduler
        scheduler.set(
            Alarm(at: scheduler.now + Self.patience) { [self] _ in
                subscription = nil
                take(from: givers[...], makeSink, nil, done)
            })
    }

    /// The living nodes that have what the log lacks, those with the most entries first.
    private var givers: [String] {
        leases.values.filter { lease in
            lease.node != node && lease.state != .dead
                && firsts.allSatisfy { lane, first in
                    (repaired[lane] ?? first) - 1 <= lease.applied[lane] ?? 0
                }
        }
        .map { lease in
            // The owner of a repaired lane has the right entries, however many others have.
            (
                owned: repaired.keys.count { lease.owned.contains($0) },
                applied: lease.applied.values.reduce(0, &+), node: lease.node
            )
        }
        .sorted { $0 > $1 }.map(\.node)
    }

    private func take(
        from givers: ArraySlice<String>, _ makeSink: @escaping () throws(JournalFailure) -> any BaseSink,
        _ failure: JournalFailure?, _ done: @escaping (Result<String?, JournalFailure>) -> Void
    ) {
        guard let giver = givers.first else { return done(failure.map { .failure($0) } ?? .success(nil)) }
        let sink: any BaseSink
        do throws(JournalFailure) {
            sink = try makeSink()
        } catch {
            return done(.failure(error))
        }
        _ = BaseTransfer(from: giver, log, on: executor, into: sink) { [self] result in
            switch result {
            case .success: done(.success(giver))
            case .failure(let failure): take(from: givers.dropFirst(), makeSink, failure, done)
            }
        }
    }
}
