import Glibc
import Platform
@testable import SQLiteJournal
import StateStore
import Testing

/// A journal that syncs no commit appends at once, unless it would wait.
@Suite struct AppendAtOnceTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private func commit(_ version: Int, of space: SpaceName = .main) -> CommitRecord {
        CommitRecord(
            space: space, version: version, at: Timestamp(microseconds: 1), action: "a/count", input: nil,
            facts: [Fact(variable: "a.count", value: Array("\(version)".utf8))])
    }

    private func open(_ durability: Durability) throws -> SQLiteJournal {
        try SQLiteJournal(directory: scratch.directory(), durability: durability)
    }

    /// Appends at once, as soon as the maintenance thread does not write.
    private func appended(_ commits: [CommitRecord], to journal: SQLiteJournal) throws -> [AppendResult]? {
        let deadline = MonotonicTime.now + 30_000_000_000
        while MonotonicTime.now < deadline {
            if let outcomes = try journal.appendAtOnce(commits) { return outcomes }
            sched_yield()
        }
        return nil
    }

    // Law D12
    @Test(arguments: [Durability.interval, .none])
    func `commits appended at once are stored like all others`(_ durability: Durability) throws {
        let journal = try open(durability)
        #expect(journal.appendsAtOnce)
        #expect(try appended([commit(1), commit(2)], to: journal) == [.kept, .kept])
        #expect(try journal.append([commit(3)]) == [.kept])
        #expect(try appended([commit(3), commit(4)], to: journal) == [.moved(to: 3), .moved(to: 3)])
        #expect(try appended([commit(4)], to: journal) == [.kept])
        #expect(journal.close() == nil)
        #expect(try open(durability).load(.main)?.version == 4)
        #expect(try SQLiteJournal.check(scratch.directory()).isWhole)
    }

    // Law D1
    @Test func `a journal that syncs each commit never appends at once`() throws {
        let journal = try open(.commit)
        #expect(!journal.appendsAtOnce)
        #expect(try journal.appendAtOnce([commit(1)]) == nil)
        #expect(try journal.load(.main) == nil)
    }

    // Law D12
    @Test func `while another process writes, nothing is appended at once and nothing waits`() throws {
        let journal = try open(.none)
        let blocker = try DatabaseConnection(scratch.database(), .writing)
        try blocker.execute("BEGIN IMMEDIATE")
        #expect(try journal.appendAtOnce([commit(1)]) == nil)
        try blocker.execute("ROLLBACK")
        #expect(try appended([commit(1)], to: journal) == [.kept])
    }

    // Law D12
    @Test func `while another thread writes, nothing is appended at once`() throws {
        let journal = try open(.none)
        let commit = commit(1)
        let outcome = try journal.maintenance.write { _ throws(JournalFailure) in try journal.appendAtOnce([commit]) }
        #expect(outcome == nil)
        #expect(try appended([commit], to: journal) == [.kept])
    }

    // Law D12
    @Test func `after a failed sync, nothing is appended at once until the log is renewed`() throws {
        let journal = try open(.interval)
        #expect(try appended([commit(1)], to: journal) == [.kept])
        _ = try journal.maintenance.write { writer throws(JournalFailure) in
            writer.suspicion = JournalFailure(.outcomeUnknown, "the sync failed")
            return true
        }
        #expect(try journal.appendAtOnce([commit(2)]) == nil)
        // This renews the log first.
        #expect(try journal.append([commit(2)]) == [.kept])
        #expect(try appended([commit(3)], to: journal) == [.kept])
    }

    @Test func `spaces loaded together equal spaces loaded one by one`() throws {
        let journal = try open(.none)
        let names = (0..<5).compactMap { SpaceName("s\($0)") }
        for name in names.dropLast() { #expect(try journal.append([commit(1, of: name)]) == [.kept]) }
        let loaded = try journal.load(all: names + names.prefix(1)).map { try $0.get() }
        #expect(loaded == (try names.map { try journal.load($0) }) + [loaded[0]])
        #expect(loaded[4] == nil && loaded[0]?.version == 1)
    }
}
