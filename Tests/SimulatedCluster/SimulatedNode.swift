package import Platform
import Reactive
package import ReplicatedJournal
import SQLiteJournal
package import StateStore

/// A process of a simulated node: its connection, its copy, its journal and its stores, on one thread.
package final class SimulatedNode: @unchecked Sendable {
    // Sendable because a simulation runs on one thread.
    package let name: String
    package let executor: SimulatedThread
    package let log: MemoryLog
    package let copy: any Journal
    package let journal: ReplicatedJournal
    package let stores: Stores
    /// The documents of features; nil for a program that takes none.
    package let library: DocumentLibrary?
    /// The requests to other servers that its effects have under way.
    package let fetches = Lock(0)
    /// The time of commits at the beginning of a simulation.
    package static let began = Timestamp(microseconds: 1_700_000_000_000_000)
    /// The warnings of the node.
    package let warnings = Lock<[String]>([])
    /// The lines about faults.
    package let faults = Lock<[String]>([])

    /// With `largeBytes` the spaces of that size have a store of their own, on the same thread.
    package init(
        _ name: String, _ server: MemoryLogServer, _ settings: ClusterSettings, copy: any JournalCopy,
        registry: Registry, library: DocumentLibrary? = nil, formats: [UInt8] = LogEntry.formats,
        timing: NodeTiming = NodeTiming(), largeBytes: Int? = nil
    ) throws {
        self.name = name
        self.library = library
        self.copy = copy
        let world = server.world
        let executor = SimulatedThread(world)
        self.executor = executor
        let log = MemoryLog(server)
        self.log = log
        journal = try ReplicatedJournal(
            Lease(node: name, instance: world.randomness.next(), formats: formats), settings, copy: copy, log: log,
            on: executor,
            clock: { world.now.nanoseconds }, seed: world.randomness.next(), timing: timing,
            warn: { [warnings] warning in warnings.with { $0.append(warning) } },
            noteFault: { [faults] words, isOver in faults.with { $0.append(isOver ? "\(words) is over" : words) } },
            apart: { $0() })
        let placement = largeBytes.map { SpacePlacement(among: 2, hasLargeStore: true, largeBytes: $0) }
        stores = try Stores(
            registry, library: library, executors: placement == nil ? [executor] : [executor, executor],
            writer: ReplicatedJournalWriter(journal, reading: InlineJournalWriter(journal)),
            fetcher: EndlessFetcher(fetches), placement: placement, seed: world.randomness.next(),
            clock: { Self.began + .nanoseconds(world.now.nanoseconds) })
        journal.serveOwnCalls { [stores] in stores.perform($0, in: $1, $2) }
    }

    /// The store of a space.
    package func store(of space: SpaceName) -> Store { stores[stores.index(of: space)] }

    /// True while the process runs, perhaps paused.
    package var isRunning: Bool { !executor.isDead }

    /// Ends the process at once.
    package func kill() {
        executor.kill()
        log.close()
    }

    /// Performs a call on the thread of the node.
    package func perform(
        _ call: Call, in space: SpaceName, _ reply: @escaping @Sendable (Result<Answer, Refusal>) -> Void
    ) {
        stores.perform(call, in: space, reply)
    }
}

/// A fetcher whose requests never end.
private final class EndlessFetcher: Fetcher {
    private let count: Lock<Int>

    init(_ count: Lock<Int>) {
        self.count = count
    }

    func fetch(
        _ request: OutgoingRequest, _ done: @escaping @Sendable (Result<OutgoingResponse, FetchFailure>) -> Void
    ) -> Cancellation {
        count.withLock { $0 += 1 }
        return Cancellation { [count] in count.withLock { $0 -= 1 } }
    }
}
