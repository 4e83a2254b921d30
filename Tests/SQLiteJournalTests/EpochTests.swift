import Foundation
@testable import SQLiteJournal
import StateStore
import Testing

/// Law H8: a lost or deleted version is never taken for a later one with the same number, and all other versions stay
/// valid.
@Suite struct EpochTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    /// The lives in a directory before and after the end of a process.
    private func lives(_ durability: Durability, isKilled: Bool) throws -> (LifeTable, LifeTable) {
        let before: LifeTable
        if isKilled {
            // The files of a killed process. It is a child process, so that nothing is closed.
            let first = try SQLiteJournal(directory: scratch.directory(), durability: durability)
            before = first.lives
            first.close()
            let child = try Child("write", scratch.directory(), durability.rawValue)
            _ = child.line()
            _ = child.kill()
        } else {
            let journal = try SQLiteJournal(directory: scratch.directory(), durability: durability)
            before = journal.lives
            try journal.count(1...1)
            journal.close()
        }
        let journal = try SQLiteJournal(directory: scratch.directory())
        defer { journal.close() }
        return (before, journal.lives)
    }

    @Test(arguments: Durability.allCases)
    func `a closed journal continues its era`(_ durability: Durability) throws {
        let (before, after) = try lives(durability, isKilled: false)
        #expect(after == before)
    }

    @Test func `a killed journal that syncs each commit continues its era`() throws {
        let (before, after) = try lives(.commit, isKilled: true)
        #expect(after == before)
    }

    @Test(arguments: [Durability.interval, .none])
    func `a killed journal that does not sync each commit begins a new era`(
        _ durability: Durability
    ) throws {
        let (before, after) = try lives(durability, isKilled: true)
        #expect(after.era != before.era && after.begun.isEmpty)
    }

    @Test func `a directory that is created again has another era`() throws {
        let eras = try (0..<2).map { try SQLiteJournal(directory: scratch.directory("data\($0)")).lives.era }
        #expect(eras[0] != eras[1])
    }

    @Test(arguments: [Durability.interval, .none])
    func `epochs of spaces deleted faster than the clock are not repeated`(_ durability: Durability) throws {
        let child = try Child("write", scratch.directory(), durability.rawValue)
        _ = child.line()
        _ = child.kill()
        var eras: Set<UInt64> = []
        for _ in 0..<4 {
            let journal = try SQLiteJournal(directory: scratch.directory(), durability: durability)
            for _ in 0..<3 {
                _ = try journal.append([.counting(1, of: try #require(SpaceName("s")))])
                _ = try journal.forget(try #require(SpaceName("s")))
            }
            #expect(journal.lives.count >= 3)
            eras.insert(journal.lives.era)
            journal.close()
            // The next start cannot distinguish this from a kill.
            try inDatabase("UPDATE meta SET value = '\(durability.rawValue)' WHERE name = 'life'")
        }
        #expect(eras.count == 4)
    }

    @Test func `a directory of 0.2 begins a new era, and keeps its spaces`() throws {
        let journal = try SQLiteJournal(directory: scratch.directory())
        try journal.count(1...3)
        journal.close()
        try inDatabase(
            "DELETE FROM meta WHERE name IN ('era', 'proof', 'digest key'); UPDATE meta SET value = 1700000000 WHERE name IN ('epoch', 'first')"
        )
        try FileManager.default.removeItem(atPath: scratch.directory() + "/life")
        let again = try SQLiteJournal(directory: scratch.directory())
        #expect(again.lives == LifeTable(era: again.lives.era) && again.lives.era != journal.lives.era)
        #expect(try again.load(.main)?.version == 3)
    }

    @Test func `the key of the digests is created once`() throws {
        let keys = try ["data", "data", "other"].map { name in
            let journal = try SQLiteJournal(directory: scratch.directory(name))
            defer { journal.close() }
            return journal.digestKey
        }
        #expect(keys[0] == keys[1] && keys[0] != keys[2])
    }

    private func inDatabase(_ sql: String) throws {
        let connection = try DatabaseConnection(scratch.database(), .writing)
        try connection.execute(sql)
    }

    @Test func `a deleted space has a new life, and other spaces keep theirs`() throws {
        let journal = try SQLiteJournal(directory: scratch.directory())
        let other = try #require(SpaceName("other"))
        try journal.count(1...3)
        try journal.count(1...3, of: other)
        let before = journal.lives
        #expect(try journal.forget(.main))
        #expect(try !journal.forget(.main))
        let after = journal.lives
        #expect(after.count == before.count + 1 && after.era == before.era)
        #expect(!after.isGood(before.now, for: .main) && after.isGood(before.now, for: other))
        #expect(!before.isGood(after.now, for: other), "a life that is yet to come")
        #expect(after.earliestLife(of: .main) == after.now && after.earliestLife(of: other) == before.now)
        journal.close()
        let again = try SQLiteJournal(directory: scratch.directory())
        #expect(again.lives == after)
    }

    @Test func `the table of deleted spaces is limited`() throws {
        var lives = LifeTable(era: 1, count: 5, first: 5)
        let name = try #require(SpaceName("s0"))
        for index in 0..<LifeTable.limit { lives = lives.forgetting(try #require(SpaceName("s\(index)"))) }
        #expect(lives.earliestLife(of: .main).count == 5 && lives.earliestLife(of: name).count == 6)
        lives = lives.forgetting(.main)
        #expect(lives.begun.isEmpty && lives.earliestLife(of: name) == lives.now)
    }
}
