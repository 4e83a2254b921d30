import Glibc
import HeadwaterServer
import Reactive
package import ReplicatedJournal
package import SimulatedCluster
import Sockets
import StateStore

/// A process of a cluster, with the thread of its node, the thread that reads its copy, and the whole service on a loop,
/// perhaps with one more for large spaces. Each of them goes on at its own times.
package final class SimulatedServer: @unchecked Sendable {
    // Sendable because a simulation runs on one thread.
    let name: String
    let executor: SimulatedThread
    package let log: MemoryLog
    let copy: MemoryCopy
    package let journal: ReplicatedJournal
    private let service: HandTurnedService
    private let world: SimulatedWorld
    private var connections: [SimulatedConnection] = []
    /// The longest time between two turns of the loop, in microseconds.
    var turnDelay = 1_500
    /// The longest time between two turns of the loop of large spaces, in microseconds,
    private static let largeTurnDelay = 20_000
    /// and while it computes for long, which it does now and then.
    package var longestTurn = 1_500_000

    /// With `largeBytes` the spaces of that size have a loop of their own.
    init(
        _ name: String, _ server: MemoryLogServer, _ settings: ClusterSettings, copy: MemoryCopy, world: SimulatedWorld,
        largeBytes: Int?
    ) throws {
        self.name = name
        self.copy = copy
        self.world = world
        let executor = SimulatedThread(world)
        self.executor = executor
        let log = MemoryLog(server)
        self.log = log
        journal = try ReplicatedJournal(
            Lease(node: name, instance: world.randomness.next()), settings, copy: copy, log: log, on: executor,
            clock: { world.now.nanoseconds }, seed: world.randomness.next(), apart: { $0() })
        let reading = SimulatedReadingThread(journal, world, of: executor)
        copy.letRead { [weak reading] in if world.isOne(in: 3) { reading?.hurry() } }
        service = try HandTurnedService(
            Feature.tallies, time: { world.now.nanoseconds }, seed: world.randomness.next(), slowNanoseconds: .max,
            hasExampleStreams: false, journalWriter: ReplicatedJournalWriter(journal, reading: reading),
            largeBytes: largeBytes)
        turnLater()
        if largeBytes != nil { turnLargeLater() }
    }

    /// True while the loop of large spaces computes.
    package var isComputing = false

    /// The number of spaces that have moved to the loop of large ones.
    var largeCount: Int { service.largeSpaces.count }

    /// True while the process runs, perhaps paused.
    var isRunning: Bool { !executor.isDead }

    private func turnLater() {
        world.after(world.delay(upTo: turnDelay)) { [weak self] in
            guard let self, isRunning else { return }
            if !executor.isPaused { turn() }
            turnLater()
        }
    }

    private func turnLargeLater() {
        let delay = world.isOne(in: 20) ? longestTurn : Self.largeTurnDelay
        world.after(world.delay(upTo: delay)) { [weak self] in
            guard let self, isRunning else { return }
            if !executor.isPaused, !isComputing { service.turnLarge() }
            turnLargeLater()
        }
    }

    private func turn() {
        service.turn()
        for connection in connections { connection.receive() }
        connections.removeAll { $0.isEnded }
    }

    /// Opens a connection; nil if the process does not run.
    package func connect() -> SimulatedConnection? {
        guard isRunning else { return nil }
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        let connection = SimulatedConnection(Socket(descriptor: ends[0]))
        connections.append(connection)
        service.take(Socket(descriptor: ends[1]))
        return connection
    }

    /// Ends the process at once.
    func kill() {
        executor.kill()
        log.close()
        let ended = connections
        connections = []
        for connection in ended { connection.lose() }
    }
}
