@testable import SQLiteJournal
import StateStore
import Testing

/// Snapshots of commits with many rows, which are written in parts.
@Suite struct LargeSnapshotTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private func record(_ version: Int, _ facts: [Fact]) -> CommitRecord {
        CommitRecord(
            space: .main, version: version, at: Timestamp(microseconds: Int64(version)), action: "a/b", input: nil,
            facts: facts)
    }

    /// Facts of more rows than a step has: of single rows, or one whole value.
    private func facts(using random: inout SplitMix64) -> [Fact] {
        let variable = Bool.random(using: &random) ? "b.table" : "b.rows"
        let keys = (0..<1_400).map { "k\($0)" }.filter { _ in Int.random(in: 0..<8, using: &random) > 0 }
        let number = Int.random(in: 0..<1_000, using: &random)
        guard Int.random(in: 0..<4, using: &random) > 0 else {
            let members = keys.map { "\"\($0)\":\(number)" }.joined(separator: ",")
            return [Fact(variable: variable, value: Array("{\(members)}".utf8))]
        }
        return keys.map { key in
            let isRemoved = Int.random(in: 0..<5, using: &random) == 0
            return Fact(variable: variable, entry: key, value: isRemoved ? nil : Array("\(number)".utf8))
        }
    }

    /// Plans a snapshot without waking the thread that would make it.
    private func planSnapshot(of journal: SQLiteJournal) throws {
        try journal.maintenance.shared.step { maintenance throws(JournalFailure) in
            let head = try maintenance.writer.head(of: .main)
            maintenance.writer.plan { plan in if let head { plan.add(.main, id: head.id) } }
        }
    }

    // Law K12
    @Test(arguments: 1...4)
    func `a snapshot that ends between the parts of a commit changes no state, and is completed later`(
        _ seed: UInt64
    ) throws {
        var random = SplitMix64(seed: seed)
        let history = [10_000, 5, 0][Int(seed) % 3]
        var model = try PastModel()
        var partial = 0
        for _ in 0..<7 {
            let journal = try SQLiteJournal(directory: scratch.directory(), history: history)
            for _ in 0...Int.random(in: 0...2, using: &random) {
                let next = record(model.records.count + 1, facts(using: &random))
                #expect(try journal.append([next]) == [.kept])
                try model.take([next])
            }
            try planSnapshot(of: journal)
            var pauses = 0
            let end = Int.random(in: 1...60, using: &random)
            do throws(JournalFailure) {
                try journal.maintenance.settle { () throws(JournalFailure) in
                    pauses += 1
                    if pauses == end { throw JournalFailure(.unusable, "the test ends here") }
                }
            } catch {
                #expect(pauses == end, "\(error)")
            }
            let isAhead = "SELECT count(*) FROM state WHERE since > (SELECT snapshot FROM spaces)"
            if try scratch.inspected().integer(isAhead) > 0 { partial += 1 }
            let newest = model.records.count
            try model.compare(journal, history: history, versions: stride(from: 0, through: newest, by: 1))
            #expect(try Truth(try #require(try journal.load(.main)).facts) == model.states[newest])
            journal.close()
            #expect(try SQLiteJournal.check(scratch.directory()).problems == [])
        }
        #expect(partial > 0)
        let journal = try SQLiteJournal(directory: scratch.directory(), history: history)
        try planSnapshot(of: journal)
        try journal.settle()
        try model.compare(journal, history: history, versions: stride(from: 0, through: model.records.count, by: 1))
        journal.close()
        #expect(try SQLiteJournal.check(scratch.directory()).problems == [])
    }
}
