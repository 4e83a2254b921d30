import JournalContract
import StateStore
import Testing

struct MemoryJournalTests {
    @Test(arguments: JournalContract.all)
    func `the journal in memory keeps the contract`(_ article: JournalContract) throws {
        try article.check { MemoryJournal() }
    }

    // Law D6
    @Test func `what was built on a commit that moved is not kept, though its version would fit`() throws {
        let journal = MemoryJournal()
        _ = try journal.append([.amount("a", 1, sum: 1, version: 1)])
        let results = try journal.append([
            .amount("b", 1, sum: 1, version: 1), .amount("c", 1, sum: 2, version: 2), .amount("d", 1, sum: 1, version: 1, space: .other),
        ])
        #expect(results == [.moved(to: 1), .moved(to: 1), .kept])
        #expect(try journal.load(.main)?.version == 1)
    }

    // Law K7
    @Test func `answers are known for 24 hours and then forgotten`() throws {
        let journal = MemoryJournal()
        let day: Int64 = 24 * 3_600_000_000
        for (version, time) in [(1, Int64(0)), (2, day), (3, day + 1)] {
            let record = CommitRecord(
                space: .main, version: version, at: Timestamp(microseconds: time), action: "a/b", input: nil,
                facts: [Fact(variable: "a.x", value: [])], idempotency: Idempotency(key: "k\(version)", fingerprint: 7))
            #expect(try journal.append([record]) == [.kept])
        }
        let known = try ["k1", "k2", "k3"].map { try journal.answer(.main, key: $0, since: Timestamp(microseconds: 0)) }
        #expect(known.map { $0?.version } == [nil, 2, 3])
        #expect(try journal.answer(.main, key: "k2", since: Timestamp(microseconds: day + 1)) == nil)
    }

    // Law K7
    @Test func `that something was done is kept without a version, where the space exists and is at its own`() throws {
        let journal = MemoryJournal()
        func done(_ version: Int) -> CommitRecord {
            CommitRecord(
                space: .main, version: version, at: Timestamp(microseconds: 0), action: "a/b", input: nil, facts: [],
                idempotency: Idempotency(key: "k", fingerprint: 7))
        }
        _ = try journal.append([.amount("a", 1, sum: 1, version: 1)])
        #expect(try journal.append([done(0)]) == [.moved(to: 1)])
        #expect(try journal.append([done(1)]) == [.kept])
        #expect(try journal.load(.main)?.version == 1)
        #expect(try journal.answer(.main, key: "k", since: Timestamp(microseconds: 0))?.changed == [])
    }

    @Test func `of the past it knows the last commits, and says where it begins`() throws {
        let journal = MemoryJournal(history: 3)
        for version in 1...10 { _ = try journal.append([.amount("a", version, sum: version, version: version)]) }
        guard case .gone(let oldest) = try journal.read(.main, after: 0, limit: 100) else {
            Issue.record("all ten are still there")
            return
        }
        guard case .commits(let commits) = try journal.read(.main, after: oldest, limit: 100) else { return }
        #expect(commits.count >= 3 && commits.count < 6)
        #expect(commits.last?.version == 10)
        #expect(try journal.read(.main, after: oldest, limit: 1) == .commits([commits[0]]))
    }
}
