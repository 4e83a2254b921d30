import Platform
import LogContract
import ReplicatedJournal
import SimulatedCluster
import Testing

/// The contract of shared logs, on the log that simulations use.
struct MemoryLogContractTests {
    @Test(.timeLimit(.minutes(15)), arguments: LogContract.all)
    func `the log in memory keeps the contract`(_ article: LogContract) async throws {
        let world = SimulatedWorld(seed: 1)
        let server = MemoryLogServer(world, .new(lanes: 3))
        let (one, other) = (MemoryLog(server), MemoryLog(server))
        let pump = try WorldPump(world)
        defer { pump.stop() }
        try await article.check(PumpedLog(one, pump), PumpedLog(other, pump))
    }
}

/// The thread of a simulation. It performs the calls of other threads and lets time pass after each of them.
private final class WorldPump: Sendable {
    private let jobs = Lock<[@Sendable () -> Void]>([])
    private let wakeup = Condition()
    private let thread: Lock<SystemThread?>

    init(_ world: SimulatedWorld) throws {
        let (jobs, wakeup) = (jobs, wakeup)
        thread = Lock(
            try SystemThread {
                while wakeup.wait() != .stopped {
                    let taken = jobs.with { jobs in
                        defer { jobs = [] }
                        return jobs
                    }
                    for job in taken { job() }
                    world.run(for: .seconds(10))
                }
            })
    }

    /// Performs a job on the thread of the simulation, later.
    func post(_ job: @escaping @Sendable () -> Void) {
        jobs.with { $0.append(job) }
        wakeup.signal()
    }

    func stop() {
        wakeup.stop()
        let joined = thread.withLock { $0.take() }
        joined?.join()
    }
}

/// A log of a simulation that any thread may use.
private final class PumpedLog: SharedLog {
    private let log: MemoryLog
    private let pump: WorldPump

    init(_ log: MemoryLog, _ pump: WorldPump) {
        (self.log, self.pump) = (log, pump)
    }

    private func subscription(_ begin: @escaping @Sendable (MemoryLog) -> LogSubscription) -> LogSubscription {
        let begun = Lock<LogSubscription?>(nil)
        pump.post { [log] in begun.with { $0 = begin(log) } }
        return LogSubscription { [pump] in pump.post { begun.with { $0 = nil } } }
    }

    func append(
        _ entry: [UInt8], to lane: Lane, after last: Int, _ done: @escaping @Sendable (Result<Int, LogFailure>) -> Void
    ) {
        pump.post { [log] in log.append(entry, to: lane, after: last, done) }
    }

    func moveOn() { pump.post { [log] in log.moveOn() } }

    func moveLeader(of lane: Lane) { pump.post { [log] in log.moveLeader(of: lane) } }

    func entry(_ number: Int, of lane: Lane, _ done: @escaping @Sendable (Result<[UInt8]?, LogFailure>) -> Void) {
        pump.post { [log] in log.entry(number, of: lane, done) }
    }

    func extent(of lane: Lane, _ done: @escaping @Sendable (Result<LaneExtent, LogFailure>) -> Void) {
        pump.post { [log] in log.extent(of: lane, done) }
    }

    func follow(
        _ lane: Lane, after number: Int, _ receive: @escaping @Sendable (Result<[StoredEntry], LogFailure>) -> Void
    ) -> LogSubscription {
        subscription { log in log.follow(lane, after: number, receive) }
    }

    func trim(_ lane: Lane, upTo number: Int, _ done: @escaping @Sendable (LogFailure?) -> Void) {
        pump.post { [log] in log.trim(lane, upTo: number, done) }
    }

    func lease(of node: String, _ done: @escaping @Sendable (Result<StoredLease?, LogFailure>) -> Void) {
        pump.post { [log] in log.lease(of: node, done) }
    }

    func renew(
        _ lease: Lease, after revision: UInt64?, _ done: @escaping @Sendable (Result<UInt64, LogFailure>) -> Void
    ) {
        pump.post { [log] in log.renew(lease, after: revision, done) }
    }

    func watchLeases(_ receive: @escaping @Sendable (StoredLease) -> Void) -> LogSubscription {
        subscription { log in log.watchLeases(receive) }
    }

    func ask(
        _ subject: String, _ body: [UInt8], timeout: Duration,
        _ done: @escaping @Sendable (Result<[UInt8], LogFailure>) -> Void
    ) {
        pump.post { [log] in log.ask(subject, body, timeout: timeout, done) }
    }

    func serve(
        _ subject: String,
        _ receive: @escaping @Sendable (_ body: [UInt8], _ reply: @escaping @Sendable ([UInt8]) -> Void) -> Void
    ) -> LogSubscription {
        subscription { [pump] log in
            log.serve(subject) { body, reply in
                receive(body) { answer in pump.post { reply(answer) } }
            }
        }
    }

    func watchConnection(_ receive: @escaping @Sendable (Bool) -> Void) -> LogSubscription {
        subscription { log in log.watchConnection(receive) }
    }

    func close() {
        pump.post { [log] in log.close() }
    }
}
