import Reactive
package import ReplicatedJournal
package import StateStore

/// Three nodes and their log.
package final class SimulatedCluster {
    package let world: SimulatedWorld
    package let server: MemoryLogServer
    package private(set) var nodes: [SimulatedNode] = []
    package let settings: ClusterSettings
    private let library: (Registry) -> DocumentLibrary?
    private let registry: Registry
    private let largeBytes: Int?
    /// The nodes whose program reads the first format of entries only, from their next start on.
    package var olderNodes: Set<Int>
    /// Called with each node that starts.
    package var prepare: (SimulatedNode) -> Void = { _ in } {
        didSet { for node in nodes { prepare(node) } }
    }
    private let makeCopy: (Int) throws -> any JournalCopy

    package init(
        seed: UInt64, lanes: Int = 3, nodes count: Int = 3, registry: Registry, olderNodes: Set<Int> = [],
        largeBytes: Int? = nil,
        copy: @escaping (_ node: Int) throws -> any JournalCopy = { _ in MemoryCopy() },
        library: @escaping (Registry) -> DocumentLibrary? = { _ in nil }
    ) throws {
        world = SimulatedWorld(seed: seed)
        settings = ClusterSettings(
            identity: seed, lanes: lanes, lifeBase: 0, digestKey: DigestKey(seed, seed))
        server = MemoryLogServer(world, settings)
        self.registry = registry
        self.library = library
        self.olderNodes = olderNodes
        self.largeBytes = largeBytes
        makeCopy = copy
        for index in 0..<count { nodes.append(try start(index, try copy(index))) }
    }

    private func start(_ index: Int, _ copy: any JournalCopy) throws -> SimulatedNode {
        let node = try SimulatedNode(
            "n\(index + 1)", server, settings, copy: copy, registry: registry, library: library(registry),
            formats: olderNodes.contains(index) ? [LogEntry.firstFormat] : LogEntry.formats, largeBytes: largeBytes)
        prepare(node)
        return node
    }

    /// Kills a node and starts it again. Its copy has lost its newest transactions.
    package func restart(_ index: Int, losing count: Int = 0) throws {
        let node = nodes[index]
        node.kill()
        var copy = try makeCopy(index)
        if let memory = node.copy as? MemoryCopy { copy = try memory.recovered(losing: count) }
        nodes[index] = try start(index, copy)
        nodes[index].log.faults = node.log.faults
    }

    /// Starts a killed node again on an empty copy.
    package func replace(_ index: Int) throws {
        nodes[index].kill()
        nodes[index] = try start(index, MemoryCopy())
    }

    /// The node that owns a space.
    package func owner(of space: SpaceName) -> SimulatedNode? { nodes.first { $0.isRunning && $0.journal.owns(space) } }

    /// Removes all faults, and runs until the nodes agree.
    package func calm() {
        server.hasQuorum = true
        for node in nodes {
            node.log.faults = MemoryLog.Faults()
            node.log.set(.none)
            if node.executor.isPaused { node.executor.resume() }
        }
        world.run(for: .seconds(40))
    }
}
