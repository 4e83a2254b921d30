import Platform
import Dispatch
@testable import SQLiteJournal
import StateStore
import Synchronization
import Testing

@Suite struct IntervalTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    /// A journal, and a wait for its next sync with a generous time limit.
    private func open(_ durability: Durability) throws -> (journal: SQLiteJournal, hasSynced: () -> Bool) {
        let journal = try SQLiteJournal(directory: scratch.directory(), durability: durability)
        let syncs = DispatchSemaphore(value: 0)
        journal.maintenance.onSync.withLock { $0 = [{ syncs.signal() }] }
        return (journal, { syncs.wait(timeout: .now() + 30) == .success })
    }

    @Test func `with an interval, commits are synced together once the interval is over`()
        throws
    {
        let (journal, hasSynced) = try open(.interval)
        for version in [1, 4, 7] {
            let start = MonotonicTime.now
            for step in 0..<3 { try journal.count(version + step...version + step) }
            #expect(hasSynced())
            #expect(MonotonicTime.now - start >= MaintenanceThread.intervalNanoseconds)
        }
        #expect(journal.maintenanceFailure == nil)
    }

    @Test(arguments: [Durability.commit, .none])
    func `without an interval, the maintenance thread does not sync`(_ durability: Durability) throws {
        let journal = try SQLiteJournal(directory: scratch.directory(), durability: durability)
        journal.maintenance.onSync.withLock { $0 = [{ Issue.record("the log was synced") }] }
        try journal.count(1...3)
        try journal.settle()
        journal.close()
    }
}
