@testable import SQLiteJournal
import StateStore
import Testing

/// Law K7 in a copy of a log: the answers to keys that nodes have made stand with their entries, those to other keys in
/// rows of their own, and all are found.
@Suite struct EntryAnswersTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private static let day: Int64 = 24 * 3_600 * 1_000_000
    private static let fact = Fact(variable: "a.b", entry: nil, value: Array("1".utf8))

    private func open(history: Int = SQLiteJournal.history) throws -> SQLiteJournal {
        try SQLiteJournal(directory: scratch.directory(), history: history)
    }

    private func commit(
        _ version: Int, of space: SpaceName = .main, key: String?, at time: Int64 = 0, changes: Bool = true,
        result: String = ""
    ) -> CommitRecord {
        CommitRecord(
            space: space, version: version, at: Timestamp(microseconds: time), action: "a/b", input: nil,
            facts: changes ? [Self.fact] : [],
            idempotency: key.map { Idempotency(key: $0, fingerprint: UInt64(version)) }, result: Array(result.utf8))
    }

    private func apply(_ commits: [CommitRecord], entry: Int, to copy: SQLiteJournal) throws {
        try copy.apply([.commits(commits, at: LogPlace(lane: 1, number: entry))], rows: [])
    }

    private func find(_ key: String, in copy: SQLiteJournal, since time: Int64 = 0) throws -> StoredAnswer? {
        try copy.answer(.main, key: key, since: Timestamp(microseconds: time))
    }

    /// The number of answers with a row of their own.
    private func ownRows() throws -> Int { try scratch.inspected().integer("SELECT count(*) FROM answers") }

    @Test func `an answer to the key of a node stands with its entry, and is found after a restart`() throws {
        var copy = try open()
        let keys = (1...3).map { _ in NodeKey.text(after: 40) }
        try apply([commit(1, key: keys[0]), commit(2, key: keys[1])], entry: 41, to: copy)
        try apply([commit(3, key: keys[2])], entry: 40 + NodeKey.reach, to: copy)
        for isRestarted in [false, true] {
            if isRestarted {
                copy.close()
                copy = try open()
            }
            for (index, key) in keys.enumerated() {
                let answer = StoredAnswer(fingerprint: UInt64(index + 1), version: index + 1, changed: ["a.b"])
                #expect(try find(key, in: copy) == answer)
                #expect(try copy.answer(SpaceName("other")!, key: key, since: Timestamp(microseconds: 0)) == nil)
            }
            #expect(try find(NodeKey.text(after: 40), in: copy) == nil)
            #expect(try ownRows() == 0)
        }
        copy.close()
        let report = try SQLiteJournal.check(scratch.directory())
        #expect(report.problems == [] && report.answers == 3)
    }

    @Test func `answers that an entry cannot have get rows of their own`() throws {
        let copy = try open()
        let late = NodeKey.text(after: 7)
        let early = NodeKey.text(after: 2_000)
        let rich = NodeKey.text(after: 1_100)
        try apply([commit(1, key: late)], entry: 7 + NodeKey.reach + 1, to: copy)
        try apply([commit(2, key: early), commit(3, key: rich, result: "[1]")], entry: 1_200, to: copy)
        try apply([commit(4, key: "of a client")], entry: 1_201, to: copy)
        #expect(try ownRows() == 4)
        for (key, version) in [(late, 1), (early, 2), (rich, 3), ("of a client", 4)] {
            #expect(try find(key, in: copy)?.version == version)
        }
        #expect(try find(rich, in: copy)?.result == Array("[1]".utf8))
        copy.close()
    }

    @Test(arguments: [
        "node1.", "node1..x", "node1.-1.x", "node1.9223372036854775807.x", "node1.99999999999999999999.x",
        "node1.+1.x", "node1.1.\"\\", "node1.1", "node2.1.x", "node1.1.x", "node1.0.", "node1.٣.x",
    ])
    func `any key is found, whatever it looks like`(_ key: String) throws {
        let copy = try open()
        try apply([commit(1, key: nil)], entry: 1, to: copy)
        #expect(try find(key, in: copy) == nil)
        try apply([commit(2, key: key)], entry: 2, to: copy)
        #expect(try find(key, in: copy)?.version == 2)
        copy.close()
    }

    @Test func `an answer is found as long as any other, also when its commit is dropped`() throws {
        let copy = try open(history: 10)
        let key = NodeKey.text(after: 0)
        try apply([commit(1, key: key, at: 5)], entry: 1, to: copy)
        for entry in 2...40 {
            let first = (entry - 2) * 100 + 2
            try apply((first..<first + 100).map { commit($0, key: nil, at: 5) }, entry: entry, to: copy)
        }
        try copy.settle()
        #expect(try copy.read(.main, after: 1, limit: 1) == .gone(oldest: 3_891))
        #expect(try find(key, in: copy, since: 5)?.version == 1)
        #expect(try find(key, in: copy, since: 6) == nil)
        // A day later the maintenance deletes it.
        try apply([commit(3_902, key: NodeKey.text(after: 40), at: Self.day + 60_000_006)], entry: 41, to: copy)
        try copy.settle()
        #expect(try find(key, in: copy) == nil)
        #expect(try scratch.inspected().integer("SELECT count(*) FROM entry_answers") == 1)
        copy.close()
    }

    @Test func `the deletion of a space deletes them`() throws {
        let copy = try open()
        let key = NodeKey.text(after: 0)
        try apply([commit(1, key: key)], entry: 1, to: copy)
        try copy.apply([.forget(.main, at: LogPlace(lane: 1, number: 2))], rows: [])
        try apply([commit(1, key: NodeKey.text(after: 0))], entry: 3, to: copy)
        #expect(try find(key, in: copy) == nil)
        try copy.settle()
        #expect(try scratch.inspected().integer("SELECT count(*) FROM entry_answers") == 1)
        copy.close()
        #expect(try SQLiteJournal.check(scratch.directory()).problems == [])
    }

    @Test func `an import of an export finds them, also those whose commits are dropped`() throws {
        let copy = try open(history: 10)
        let keys = (0..<2_100).map { _ in NodeKey.text(after: 0) }
        for entry in 1...21 {
            let first = (entry - 1) * 100 + 1
            try apply((first..<first + 100).map { commit($0, key: keys[$0 - 1]) }, entry: entry, to: copy)
        }
        try copy.settle()
        copy.close()
        var lines: [[UInt8]] = []
        try SQLiteJournal.export(scratch.directory(), space: nil) { lines.append(Array($0)) }
        var rest = lines[...]
        try SQLiteJournal.import(into: scratch.directory("copy")) { rest.popFirst() }
        let other = try SQLiteJournal(directory: scratch.directory("copy"))
        for (index, key) in keys.enumerated() { #expect(try find(key, in: other)?.version == index + 1) }
        other.close()
    }

    private func damage(_ sql: String) throws {
        try DatabaseConnection(scratch.database(), .writing).execute(sql)
    }

    @Test func `a changed byte is noticed`() throws {
        var copy = try open()
        let key = NodeKey.text(after: 0)
        try apply([commit(1, key: key)], entry: 1, to: copy)
        copy.close()
        try damage(#"UPDATE entry_answers SET answers = replace(answers, '"version":1', '"version":2')"#)
        copy = try open()
        let failure = #expect(throws: JournalFailure.self) { try find(key, in: copy) }
        #expect(failure?.kind == .damaged)
        copy.close()
        #expect(try SQLiteJournal.check(scratch.directory()).problems.count == 1)
    }

    @Test(arguments: 1...20) func `every key has the answer that a dictionary has`(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var copy = try open(history: Int.random(in: 0...40, using: &random))
        var model: [SpaceName: [String: Int]] = [:]
        var versions: [SpaceName: Int] = [:]
        let spaces = ["main", "a", "b"].map { SpaceName($0)! }
        var entry = 1
        for _ in 0..<60 {
            entry += Int.random(in: 1...30, using: &random)
            let commits = (0..<Int.random(in: 1...12, using: &random)).map { _ -> CommitRecord in
                let space = spaces.randomElement(using: &random) ?? .main
                let changes = Int.random(in: 0..<5, using: &random) > 0 || versions[space] == nil
                let version = versions[space, default: 0] + (changes ? 1 : 0)
                versions[space] = version
                let key: String? =
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: nil
                    case 1: "client-\(random.next())"
                    default: NodeKey.text(after: max(0, entry + Int.random(in: -90...2, using: &random)))
                    }
                if let key { model[space, default: [:]][key] = version }
                return commit(version, of: space, key: key, changes: changes)
            }
            try apply(commits, entry: entry, to: copy)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: try copy.settle()
            case 1:
                copy.close()
                copy = try open(history: Int.random(in: 0...40, using: &random))
            case 2:
                guard let space = spaces.randomElement(using: &random), versions[space] != nil else { break }
                entry += 1
                try copy.apply([.forget(space, at: LogPlace(lane: 1, number: entry))], rows: [])
                (versions[space], model[space]) = (nil, nil)
            default: break
            }
        }
        for space in spaces {
            for (key, version) in model[space] ?? [:] {
                #expect(try copy.answer(space, key: key, since: Timestamp(microseconds: 0))?.version == version)
            }
        }
        copy.close()
        #expect(try SQLiteJournal.check(scratch.directory()).problems == [])
    }
}
