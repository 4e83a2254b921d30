import Foundation
import Reactive
@testable import SQLiteJournal
import StateStore
import Synchronization
import Testing

/// Another process that locks the database delays writes, and nothing else.
@Suite struct BlockedTests {
    let scratch: Scratch
    let journal: SQLiteJournal

    init() throws {
        scratch = try Scratch()
        journal = try SQLiteJournal(directory: scratch.directory())
        try journal.count(1...3)
    }

    /// An executor that runs each job within `post`.
    private final class Here: StateStore.Executor, @unchecked Sendable {
        // Sendable because no test uses the clock here.
        let scheduler: any Scheduler = VirtualScheduler()
        func post(_ body: @escaping @Sendable () -> Void) { body() }
    }

    /// The database, locked by another process.
    private func blocker() throws -> DatabaseConnection {
        let blocker = try DatabaseConnection(scratch.database(), .writing)
        try blocker.execute("BEGIN EXCLUSIVE")
        return blocker
    }

    @Test func `a read does not wait for a probe or for a deletion`() throws {
        let keeper = try ThreadedJournalWriter(journal)
        let ended = Mutex<[String]>([])
        let done = DispatchSemaphore(value: 0)
        @Sendable func end(_ name: String) {
            ended.withLock { $0.append(name) }
            done.signal()
        }
        let blocker = try blocker()
        keeper.write(for: Here(), { try? $0.probe() }, then: { _ in end("probe") })
        keeper.write(for: Here(), { try? $0.forget(.main) }, then: { _ in end("forget") })
        keeper.read(for: Here(), { try? $0.load(.main)?.version }, then: { version in end("load \(version ?? 0)") })
        keeper.read(for: Here(), { $0.lives.count }, then: { count in end("lives \(count)") })
        for _ in 0..<4 { done.wait() }
        #expect(ended.withLock { $0 } == ["load 3", "lives 0", "probe", "forget"])
        try blocker.execute("ROLLBACK")
        keeper.close()
    }

    @Test func `the lives are readable while a space is being deleted`() throws {
        let blocker = try blocker()
        let isForgotten = Mutex<Bool?>(nil)
        let done = DispatchSemaphore(value: 0)
        let thread = Foundation.Thread { [journal] in
            let outcome = try? journal.forget(.main)
            isForgotten.withLock { $0 = outcome ?? false }
            done.signal()
        }
        thread.start()
        for _ in 0..<1_000 where isForgotten.withLock({ $0 }) == nil { #expect(journal.lives.count == 0) }
        #expect(isForgotten.withLock { $0 } == nil, "it still waits")
        done.wait()
        #expect(isForgotten.withLock { $0 } == false)
        try blocker.execute("ROLLBACK")
        #expect(try journal.forget(.main) && journal.lives.count == 1)
    }

    @Test func `after a wait for another process has failed, later callers wait less, until the lock is free`() throws {
        let connection = try DatabaseConnection(scratch.database(), .writing)
        let blocker = try blocker()
        #expect(throws: JournalFailure.self) { try connection.transaction {} }
        #expect(connection.isBlocked)
        #expect(throws: JournalFailure.self) { try connection.transaction {} }
        try blocker.execute("ROLLBACK")
        try connection.transaction {}
        #expect(!connection.isBlocked)
    }
}
