import Foundation
import Platform
@testable import SQLiteJournal
import StateStore
import Testing

// Laws D11, DAMAGE4.
@Suite struct VerificationTests {
    let journal: DamagedJournal
    let a: SpaceName

    init() throws {
        journal = try DamagedJournal(seed: 29)
        a = try #require(SpaceName("a"))
    }

    @Test(
        "verification finds a damaged row of every table, and a mended one",
        arguments: [
            ("runs", "UPDATE runs SET commits = replace(commits, 'a/do', 'a/go') WHERE space = 1 AND last = 120"),
            ("state", "UPDATE state SET value = '77' WHERE space = 1 AND variable = 'a.value'"),
            ("past", "UPDATE past SET value = '77' WHERE space = 1"),
            ("answers", "UPDATE answers SET fingerprint = 1 WHERE space = 1 AND key = 'k88'"),
            ("alarms", "UPDATE alarms SET at = at + 1 WHERE space = 1"),
            ("spaces", "UPDATE spaces SET sum = 1 WHERE id = 1"),
            ("runs", "DELETE FROM runs WHERE space = 1 AND last = 120"),
        ])
    func finds(_ table: String, _ sql: String) throws {
        let directory = journal.scratch.directory()
        let stored = try SQLiteJournal(directory: directory, history: DamagedJournal.history)
        let change = Condition()
        stored.damaged.watch { space, _ in if space.description == "a" { change.signal() } }
        try stored.verify(every: 1_000_000)
        while stored.damaged.passCount < 1 { sched_yield() }
        #expect(stored.damaged.names == [])
        let connection = try DatabaseConnection(journal.scratch.database(), .writing)
        try connection.execute("CREATE TEMP TABLE sound AS SELECT * FROM \(table)")
        try connection.execute(sql)
        #expect(change.wait(until: MonotonicTime.now + 60_000_000_000) == .signaled)
        #expect(stored.damaged.names == [a] && stored.damaged.count == 1)
        try connection.execute("BEGIN; DELETE FROM \(table); INSERT INTO \(table) SELECT * FROM sound; COMMIT")
        let deadline = MonotonicTime.now + 60_000_000_000
        while stored.damaged.count > 0, MonotonicTime.now < deadline { sched_yield() }
        #expect(stored.damaged.names == [])
        #expect(stored.close() == nil)
    }

    @Test func `a damaged space can be deleted, and is damaged no more`() throws {
        try DatabaseConnection(journal.scratch.database(), .writing).execute(
            "UPDATE state SET value = '77' WHERE space = 1")
        let stored = try SQLiteJournal(directory: journal.scratch.directory())
        let failure = #expect(throws: JournalFailure.self) { try stored.load(a) }
        #expect(failure?.kind == .damaged && stored.damaged.names == [a])
        #expect(try stored.forget(a) && stored.damaged.names == [])
        #expect(try stored.load(a) == nil)
        try stored.settle()
        #expect(stored.close() == nil)
        #expect(try SQLiteJournal.check(journal.scratch.directory()).problems == [])
    }

    @Test func `a damaged journal has no backup`() throws {
        let scratch = journal.scratch
        try DatabaseConnection(scratch.database(), .writing).execute(
            "UPDATE answers SET fingerprint = 1 WHERE key = 'k88'")
        let failure = #expect(throws: JournalFailure.self) {
            try SQLiteJournal.backup(scratch.directory(), to: scratch.directory("copy"))
        }
        #expect(failure?.kind == .damaged)
        #expect(!FileManager.default.fileExists(atPath: scratch.directory("copy")))
        #expect(!FileManager.default.fileExists(atPath: scratch.directory("copy.partial")))
    }
}
