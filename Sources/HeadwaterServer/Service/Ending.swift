import Glibc
import Ground
import HTTP
import ReplicatedJournal
import Sockets
import StateStore
import Synchronization

/// The end of the server after a signal, on a thread of its own:
///
/// 1. For `drainSeconds` the server listens and answers; `/readyz` is 503, connections close with their next answer,
///    streams end one by one, and a node hands its lanes over.
/// 2. It stops listening, and answers the requests under way.
/// 3. The loops stop, and the main thread syncs the journal.
///
/// If a loop computes for so long that this has not ended in time, the thread syncs the journal and ends the process.
final class Ending: Sendable {
    /// The seconds after the signal at which the loops stop, whatever is under way.
    static let patienceSeconds = 8.5
    /// The seconds after the signal at which the process ends although a loop still computes.
    static let forcedSeconds = 9.0
    /// The seconds for which the forced end waits for the journal.
    private static let syncSeconds = 0.8
    /// The maximum number of seconds for which a node waits for others to take its lanes.
    private static let handoverSeconds = 2.5

    /// A loop and its server.
    struct Loop: Sendable {
        let server: Confined<Server>
        let executor: LoopExecutor
    }

    private let drainSeconds: Int
    private let log: Log
    private let isBegun = Atomic(false)
    private let isClosing = Atomic(false)
    /// True when the journal is closed, after which nothing has to be ended by force.
    private let isClosed = Atomic(false)
    private let signal = Condition()

    init(drainSeconds: Int, _ log: Log) {
        self.drainSeconds = drainSeconds
        self.log = log
    }

    /// Notes the first signal. Returns false at the second.
    func begin() -> Bool { !isBegun.exchange(true, ordering: .relaxed) }

    /// Closes the journal, unless the thread of the end does, which ends the process.
    func close(_ journalWriter: any JournalWriter) -> JournalFailure? {
        guard !isClosing.exchange(true, ordering: .relaxed) else {
            while true { _ = signal.wait() }
        }
        let failure = journalWriter.close()
        isClosed.store(true, ordering: .releasing)
        signal.signal()
        return failure
    }

    /// Ends the server on a thread of its own, so that further signals are heard.
    func run(_ loops: [Loop], _ journalWriter: any JournalWriter, _ node: ReplicatedJournal?) {
        let seconds = Double(drainSeconds)
        for loop in loops { loop.executor.post { loop.server.value.leave(over: seconds) } }
        let body: @Sendable () -> Void = { [self] in end(loops, journalWriter, node) }
        do throws(SystemThread.Failure) {
            try SystemThread(body).detach()
        } catch {
            body()
        }
    }

    private func end(_ loops: [Loop], _ journalWriter: any JournalWriter, _ node: ReplicatedJournal?) {
        let began = MonotonicTime.now
        func time(after seconds: Double) -> Int64 { began + Int64(seconds * 1e9) }
        log.write(.info, "ending")
        node?.drain()
        wait(until: time(after: Double(drainSeconds)))
        while let node, !node.isHandedOver, MonotonicTime.now < time(after: Self.handoverSeconds) {
            wait(until: MonotonicTime.now + 50_000_000)
        }
        let all = loops.map(\.executor.loop)
        let stop: @Sendable () -> Void = {
            for loop in all { loop.post { loop.stop() } }
        }
        let leave = LastCall(loops.count, stop)
        for loop in loops { loop.executor.post { loop.server.value.drain(over: 0) { leave.count() } } }
        let patience = time(after: Self.patienceSeconds)
        while !isClosed.load(ordering: .acquiring), MonotonicTime.now < patience { _ = signal.wait(until: patience) }
        stop()
        let forced = time(after: Self.forcedSeconds)
        while !isClosed.load(ordering: .acquiring), MonotonicTime.now < forced { _ = signal.wait(until: forced) }
        // The process may go on: a server within another program.
        if !isClosed.load(ordering: .acquiring) { force(journalWriter) }
    }

    private func wait(until deadline: Int64) {
        while MonotonicTime.now < deadline { _ = signal.wait(until: deadline) }
    }

    /// Syncs the journal and ends the process, although a loop computes. Everything that was answered is durable then.
    private func force(_ journalWriter: any JournalWriter) {
        guard !isClosing.exchange(true, ordering: .relaxed) else {
            wait(until: MonotonicTime.now + Int64(Self.syncSeconds * 1e9))
            log.write(.error, "commits may not be durable", [("reason", "the journal takes too long to sync")])
            log.flush(within: 100_000_000)
            _exit(1)
        }
        let done = Condition()
        let status = Lock<Int32>(0)
        let close: @Sendable () -> Void = {
            if journalWriter.close() != nil { status.with { $0 = 1 } }
            done.signal()
        }
        if (try? SystemThread(close).detach()) != nil {
            _ = done.wait(until: MonotonicTime.now + Int64(Self.syncSeconds * 1e9))
        }
        log.write(.warning, "ended while a loop computed")
        log.flush(within: 100_000_000)
        _exit(status.with { $0 })
    }

    /// A counter that runs its closure at the last of `count` calls.
    private final class LastCall: Sendable {
        private let left: Atomic<Int>
        private let done: @Sendable () -> Void

        init(_ count: Int, _ done: @escaping @Sendable () -> Void) {
            left = Atomic(count)
            self.done = done
        }

        func count() {
            if left.subtract(1, ordering: .relaxed).newValue == 0 { done() }
        }
    }
}
