@testable import SQLiteJournal
import StateStore
import Testing

/// Commits that are appended together form one row, independent of their content and number.
@Suite struct CommitBatchTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private func count(_ sql: String) throws -> Int {
        try scratch.inspected().integer(sql)
    }

    /// A commit that sets one of `count` variables.
    private func setting(_ version: Int, _ variable: Int, _ value: String) -> CommitRecord {
        CommitRecord(
            space: .main, version: version, at: Timestamp(microseconds: 0), action: "a/set", input: nil,
            facts: [Fact(variable: "a.v\(variable)", value: Array(value.utf8))])
    }

    @Test func `a batch is one row for each space, whatever the order of its commits`() throws {
        let journal = try SQLiteJournal(directory: scratch.directory())
        let spaces = (1...3).compactMap { SpaceName("s\($0)") }
        let batch = (1...10).flatMap { version in spaces.map { CommitRecord.counting(version, of: $0) } }
        #expect(try journal.append(batch).allSatisfy { $0 == .kept })
        #expect(try count("SELECT count(*) FROM runs WHERE first = 1 AND last = 10") == 3)
        for space in spaces {
            #expect(try journal.read(space, after: 0, limit: 20) == .commits(batch.filter { $0.space == space }))
        }
    }

    @Test func `a commit that is not the next rejects the later ones of its space only`() throws {
        let journal = try SQLiteJournal(directory: scratch.directory())
        let other = try #require(SpaceName("other"))
        let batch: [CommitRecord] = [
            .counting(1), .counting(1, of: other), .counting(3), .counting(2), .counting(2, of: other), .counting(3),
        ]
        #expect(try journal.append(batch) == [.kept, .kept, .moved(to: 1), .moved(to: 1), .kept, .moved(to: 1)])
        #expect(try journal.read(.main, after: 0, limit: 9) == .commits([.counting(1)]))
        #expect(
            try journal.read(other, after: 0, limit: 9) == .commits([.counting(1, of: other), .counting(2, of: other)]))
        #expect(try journal.append([.counting(2), .counting(3)]) == [.kept, .kept])
    }

    @Test func `a row is limited in bytes, except for a single commit`() throws {
        let journal = try SQLiteJournal(directory: scratch.directory())
        let long = "\"\(String(repeating: "x", count: 2 * CommitBatch.bytesLimit))\""
        let batch = (1...1_000).map { setting($0, 1, $0 % 100 == 0 ? long : "\($0)") }
        #expect(try journal.append(batch).allSatisfy { $0 == .kept })
        // The commits before a long one share its row.
        #expect(try count("SELECT count(*) FROM runs") == 10)
        try journal.count(1_001...2_000)
        #expect(try journal.append((2_001...5_000).map { setting($0, 1, "1") }).allSatisfy { $0 == .kept })
        #expect(try count("SELECT max(length(commits)) FROM runs WHERE first > 2000") < CommitBatch.bytesLimit + 200)
        #expect(try count("SELECT count(*) FROM runs WHERE first > 2000") > 1)
        #expect(try journal.read(.main, after: 0, limit: 1_000) == .commits(batch))
        #expect(try journal.read(.main, after: 555, limit: 10) == .commits(Array(batch[555..<565])))
        #expect(try journal.read(.main, after: 555, limit: 0) == .commits([]))
        journal.close()
        #expect(try SQLiteJournal.check(scratch.directory()).problems == [])
    }

    @Test(arguments: 1...8)
    func `the final values of a row equal the result of its commits`(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let journal = try SQLiteJournal(directory: scratch.directory())
        var truth = try Truth()
        var version = 0
        for _ in 0..<60 {
            // Sometimes more variables than `FinalValues.limit`.
            let variables = Int.random(in: 1...12, using: &random)
            let batch = (1...Int.random(in: 1...80, using: &random)).map { step in
                setting(version + step, Int.random(in: 1...variables, using: &random), "\(version + step)")
            }
            #expect(try journal.append(batch).allSatisfy { $0 == .kept })
            for fact in batch.flatMap(\.facts) { try truth.take(fact) }
            version += batch.count
            if Int.random(in: 0..<5, using: &random) == 0 { try journal.settle() }
            let kept = try #require(try journal.load(.main))
            #expect(kept.version == version)
            #expect(try Truth(kept.facts) == truth)
        }
        #expect(try count("SELECT count(*) FROM runs WHERE leaves IS NOT NULL") > 0)
        #expect(try count("SELECT count(*) FROM runs WHERE leaves IS NULL") > 0)
        journal.close()
        #expect(try SQLiteJournal.check(scratch.directory()).problems == [])
    }
}
