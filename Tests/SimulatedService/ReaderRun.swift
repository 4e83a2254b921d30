import HistoryChecking
import Reactive
import ReplicatedJournal
import SimulatedCluster
import StateStore

/// A run of three nodes with clients that act, read in every way, and move between the nodes with their tags and ids.
/// Clients and faults follow from one seed. The values say of which versions they are, so each is compared with its tag.
package final class ReaderRun: @unchecked Sendable {
    // Sendable because a simulation runs on one thread.
    static let spaces = ["a", "b"]

    let cluster: ServedCluster
    private(set) var isCalm = false
    private var history = HistoryCheck()
    private var clients: [WanderingClient] = []
    private var others: [String] = []
    private var faultsLeft: Int
    /// The number of observations, of answers by status, and of requests without an answer that are complaints.
    package private(set) var statuses: [Int: Int] = [:]

    /// With `largeBytes` the spaces of that size have a loop of their own.
    package init(seed: UInt64, clients count: Int = 10, faults: Int, largeBytes: Int? = nil) throws {
        cluster = try ServedCluster(seed: seed, largeBytes: largeBytes)
        faultsLeft = faults
        clients = (0..<count).map { WanderingClient("c\($0)", self) }
    }

    private var world: SimulatedWorld { cluster.world }

    /// The number of moves to loops of large spaces, of the processes that run.
    package var moved: Int { cluster.nodes.reduce(0) { $0 + $1.largeCount } }

    /// The number of observations.
    package var observed: Int { history.count }

    /// The number of observations after all faults were over.
    package private(set) var observedInCalm = 0

    /// The broken promises.
    package var complaints: [String] { others + history.check().map(\.description) }

    /// Runs clients and faults for some seconds, waits for calm, and lets the clients go on for a second.
    package func run(seconds: Int) throws {
        world.run(for: .seconds(6))
        for client in clients { client.goOn() }
        nextFault()
        world.run(for: .seconds(seconds))
        isCalm = true
        cluster.calm()
        (isCalm, faultsLeft) = (false, 0)
        let observedBefore = observed
        for client in clients { client.goOn() }
        world.run(for: .seconds(1))
        observedInCalm = observed - observedBefore
        isCalm = true
        world.run(for: .seconds(5))
        for node in cluster.nodes {
            for space in Self.spaces {
                guard let name = SpaceName(space), let version = try node.copy.load(name)?.version else { continue }
                history.take(
                    .final(
                        node: node.name, space: "\(space) at the end",
                        HistoryRecord.Content(version: version, elements: [:])))
            }
        }
    }

    func take(_ record: HistoryRecord) { history.take(record) }

    func complain(_ words: String) { others.append(words) }

    /// Counts the status of an answer.
    func note(_ status: Int, of place: String, after time: Duration) {
        statuses[status, default: 0] += 1
        if ![200, 304, 503].contains(status) { complain("\(place): \(status)") }
    }

    // MARK: Faults

    private func nextFault() {
        guard !isCalm, faultsLeft > 0 else { return }
        faultsLeft -= 1
        let index = world.random(below: cluster.nodes.count)
        let node = cluster.nodes[index]
        switch world.random(below: 8) {
        case 0, 1:
            node.executor.pause()
            world.after(world.delay(upTo: 9_000_000)) { if node.executor.isPaused { node.executor.resume() } }
        case 2:
            node.log.set([MemoryLog.Cut.both, .requests, .answers][world.random(below: 3)])
            world.after(world.delay(upTo: 8_000_000)) { node.log.set(.none) }
        case 3, 4:
            do {
                try cluster.restart(index, losing: world.random(below: 4))
            } catch {
                complain("a node does not start again: \(error)")
            }
        case 5:
            cluster.server.hasQuorum = false
            world.after(world.delay(upTo: 6_000_000)) { self.cluster.server.hasQuorum = true }
        default:
            node.log.faults.lostRequest = 20
            node.log.faults.lostAnswer = 10
            node.log.faults.landsLater = 15
            node.log.faults.delay = 60_000
            world.after(world.delay(upTo: 6_000_000)) { node.log.faults = MemoryLog.Faults() }
        }
        world.after(world.delay(upTo: 4_000_000)) { self.nextFault() }
    }
}
