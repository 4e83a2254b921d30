import Ground
import Reactive

/// Random faults of a simulated cluster: one after another, from the seed of its world.
package final class RandomFaults: @unchecked Sendable {
    // Sendable because a simulation runs on one thread.
    private let cluster: SimulatedCluster
    private var left: Int
    private var isOver = false
    /// The nodes that did not start again.
    package private(set) var complaints: [String] = []

    package init(_ cluster: SimulatedCluster, count: Int) {
        self.cluster = cluster
        left = count
    }

    private var world: SimulatedWorld { cluster.world }

    /// Makes the first fault.
    package func begin() { next() }

    /// Makes no more faults.
    package func end() { isOver = true }

    private func next() {
        guard !isOver, left > 0 else { return }
        left -= 1
        let index = world.random(below: cluster.nodes.count)
        let node = cluster.nodes[index]
        switch world.random(below: 9) {
        case 0: node.pauseForAWhile(in: world)
        case 1, 2: node.cutForAWhile(in: world)
        case 3, 4:
            restart(index)
        case 5:
            cluster.server.hasQuorum = false
            world.after(world.delay(upTo: 9_000_000)) { self.cluster.server.hasQuorum = true }
        case 6:
            (node.copy as? MemoryCopy)?.failApplications(1 + world.random(below: 3))
        case 7:
            if world.isOne(in: 3) { cluster.server.loseLeases() }
        default:
            node.log.faults.lostRequest = 20
            node.log.faults.lostAnswer = 10
            node.log.faults.landsLater = 15
            node.log.faults.delay = 60_000
            world.after(world.delay(upTo: 10_000_000)) { node.log.faults = MemoryLog.Faults() }
        }
        world.after(world.delay(upTo: 5_000_000)) { self.next() }
    }

    private func restart(_ index: Int) {
        do {
            try cluster.restart(index, losing: world.random(below: 4))
        } catch {
            complaints.append("a node does not start again: \(error)")
        }
    }
}

extension SimulatedNode {
    /// Pauses the node for up to 15 seconds.
    func pauseForAWhile(in world: SimulatedWorld) {
        executor.pause()
        world.after(world.delay(upTo: 15_000_000)) { if self.executor.isPaused { self.executor.resume() } }
    }

    /// Cuts the connection of the node for up to 12 seconds, one way or both.
    func cutForAWhile(in world: SimulatedWorld) {
        let cuts: [MemoryLog.Cut] = [.both, .requests, .answers]
        log.set(cuts[world.random(below: cuts.count)])
        world.after(world.delay(upTo: 12_000_000)) { self.log.set(.none) }
    }
}
