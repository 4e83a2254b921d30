import JournalContract
import StateStore
import Testing

struct MemoryJournalTests {
    @Test(arguments: JournalContract.all)
    func `the journal in memory keeps the contract`(_ article: JournalContract) throws {
        try article.check { MemoryJournal() }
    }

    // Law D6
    @Test func `a commit built on a refused one is not stored, even if its version fits`() throws {
        let journal = MemoryJournal()
        _ = try journal.append([.amount("a", 1, sum: 1, version: 1)])
        let results = try journal.append([
            .amount("b", 1, sum: 1, version: 1), .amount("c", 1, sum: 2, version: 2),
            .amount("d", 1, sum: 1, version: 1, space: .other),
        ])
        #expect(results == [.moved(to: 1), .moved(to: 1), .kept])
        #expect(try journal.load(.main)?.version == 1)
    }

    // Law K7
    @Test func `answers are stored for 24 hours`() throws {
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
    @Test func `a record without facts stores its key if the space exists at its version`() throws {
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

    @Test(arguments: [0, 1, 3, 9, 10, 11])
    func `the history contains the last commits and its beginning`(history: Int) throws {
        let journal = MemoryJournal(history: history)
        for version in 1...10 { _ = try journal.append([.amount("a", version, sum: version, version: version)]) }
        let oldest = max(0, 10 - history)
        for version in 0...12 {
            for limit in [0, 1, 2, 100] {
                let past = try journal.read(.main, after: version, limit: limit)
                guard version >= oldest else {
                    #expect(past == .gone(oldest: oldest))
                    continue
                }
                guard case .commits(let commits) = past else {
                    Issue.record("\(version) is still there")
                    return
                }
                #expect(commits.map(\.version) == Array((1...10).filter { $0 > version }.prefix(limit)))
            }
        }
    }

    @Test func `a deleted space begins again, even if it had the last commit`() throws {
        let journal = MemoryJournal()
        #expect(try journal.append(one: .amount("a", 1, sum: 1, version: 1)) == .kept)
        #expect(try journal.append(one: .amount("b", 2, sum: 3, version: 2)) == .kept)
        #expect(try journal.forget(.main))
        #expect(try journal.append(one: .amount("c", 1, sum: 1, version: 3)) == .moved(to: 0))
        #expect(try journal.append(one: .amount("c", 1, sum: 1, version: 1)) == .kept)
        #expect(try journal.append(one: .amount("d", 1, sum: 1, version: 1, space: .other)) == .kept)
        #expect(try journal.append(one: .amount("d", 1, sum: 2, version: 2)) == .kept)
        #expect(try journal.load(.main)?.version == 2)
        #expect(try journal.load(.other)?.version == 1)
    }
}
