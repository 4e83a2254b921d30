import SQLiteJournal
import StateStore
import Testing

/// Law H8: a version that was lost or forgotten is never taken for the one that has its number now, and one that was not means what it meant.
@Suite struct LivesTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    /// The lives in a directory before and after one that ended in some way.
    private func lives(_ durability: Durability, isKilled: Bool) throws -> (Lives, Lives) {
        let before: Lives
        if isKilled {
            // What a process that was killed leaves: it is a child, so that nothing of it is closed.
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
    func `a journal that was closed has lost nothing`(_ durability: Durability) throws {
        let (before, after) = try lives(durability, isKilled: false)
        #expect(after == before)
    }

    @Test func `a journal that syncs each commit loses nothing when it is killed`() throws {
        let (before, after) = try lives(.commit, isKilled: true)
        #expect(after == before)
    }

    @Test(arguments: [Durability.interval, .none])
    func `a journal that does not sync each commit may have lost some when it is killed`(_ durability: Durability) throws {
        let (before, after) = try lives(durability, isKilled: true)
        #expect(after.epoch > before.epoch && after.first == after.epoch)
    }

    @Test func `a directory begun anew counts otherwise than the one before it, and an older program's as if it had lost something`() throws
    {
        let first = try SQLiteJournal(directory: scratch.directory())
        // By the clock: an older program counted its lives from 1 on.
        #expect(first.lives.epoch > 1_000_000)
    }

    @Test func `a forgotten space begins anew for whoever knew it, and no other does`() throws {
        let journal = try SQLiteJournal(directory: scratch.directory())
        let other = try #require(SpaceName("other"))
        try journal.count(1...3)
        try journal.count(1...3, of: other)
        let before = journal.lives
        #expect(try journal.forget(.main))
        #expect(try !journal.forget(.main))
        let after = journal.lives
        #expect(after.epoch == before.epoch + 1)
        #expect(after.first(of: .main) == after.epoch && after.first(of: other) == before.epoch)
        journal.close()
        let again = try SQLiteJournal(directory: scratch.directory())
        #expect(again.lives == after)
    }

    @Test func `how many were forgotten is not remembered without end`() throws {
        var lives = Lives(epoch: 5)
        let name = try #require(SpaceName("s0"))
        for index in 0..<Lives.limit { lives = lives.forgetting(try #require(SpaceName("s\(index)"))) }
        #expect(lives.first(of: .main) == 5 && lives.first(of: name) == 6)
        lives = lives.forgetting(.main)
        #expect(lives.begun.isEmpty && lives.first(of: name) == lives.epoch)
    }
}
