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

    /// A journal, and what waits for its next sync, for so long at the most as no machine should take.
    private func open(_ durability: Durability) throws -> (journal: SQLiteJournal, hasSynced: () -> Bool) {
        let journal = try SQLiteJournal(directory: scratch.directory(), durability: durability)
        let syncs = DispatchSemaphore(value: 0)
        journal.upkeep.onSync.withLock { $0 = { syncs.signal() } }
        return (journal, { syncs.wait(timeout: .now() + 30) == .success })
    }

    @Test func `with an interval, what was appended is synced by itself, together and not before the interval is over`() throws {
        let (journal, hasSynced) = try open(.interval)
        for version in [1, 4, 7] {
            let start = Bell.now
            for step in 0..<3 { try journal.count(version + step...version + step) }
            #expect(hasSynced())
            #expect(Bell.now - start >= Upkeep.intervalNanoseconds)
        }
        #expect(journal.upkeepFailure == nil)
    }

    @Test(arguments: [Durability.commit, .none])
    func `without an interval nothing is synced behind the appends`(_ durability: Durability) throws {
        let journal = try SQLiteJournal(directory: scratch.directory(), durability: durability)
        journal.upkeep.onSync.withLock { $0 = { Issue.record("the log was synced") } }
        try journal.count(1...3)
        try journal.settle()
        journal.close()
    }
}
