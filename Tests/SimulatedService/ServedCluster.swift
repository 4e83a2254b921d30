import Reactive
import ReplicatedJournal
package import SimulatedCluster
import StateStore

/// Three processes and their log.
package final class ServedCluster {
    package let world: SimulatedWorld
    let server: MemoryLogServer
    package private(set) var nodes: [SimulatedServer] = []
    private let settings: ClusterSettings
    private let largeBytes: Int?

    /// With `largeBytes` the spaces of that size have a loop of their own.
    package init(seed: UInt64, largeBytes: Int? = nil) throws {
        self.largeBytes = largeBytes
        world = SimulatedWorld(seed: seed)
        settings = ClusterSettings(identity: seed, lanes: 3, lifeBase: 0, digestKey: DigestKey(seed, seed))
        server = MemoryLogServer(world, settings)
        for index in 0..<3 { nodes.append(try start(index, MemoryCopy())) }
    }

    private func start(_ index: Int, _ copy: MemoryCopy) throws -> SimulatedServer {
        try SimulatedServer("n\(index + 1)", server, settings, copy: copy, world: world, largeBytes: largeBytes)
    }

    /// Kills a process and starts it again. Its copy has lost its newest transactions.
    func restart(_ index: Int, losing count: Int) throws {
        let node = nodes[index]
        node.kill()
        nodes[index] = try start(index, try node.copy.recovered(losing: count))
    }

    /// Removes all faults, and runs until the nodes agree.
    func calm() {
        server.hasQuorum = true
        for node in nodes {
            node.log.faults = MemoryLog.Faults()
            node.log.set(.none)
            if node.executor.isPaused { node.executor.resume() }
            (node.turnDelay, node.longestTurn) = (20_000, 20_000)
        }
        world.run(for: .seconds(25))
    }
}
