@testable import SQLiteJournal
import Foundation
import StateStore
import Testing

@Suite struct PastTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private func batch(after version: Int, _ random: inout SplitMix64) -> [CommitRecord] {
        (1...Int.random(in: 1...120, using: &random)).map { step in
            CommitRecord(
                space: .main, version: version + step, at: Timestamp(microseconds: Int64(version + step) / 3),
                action: "a/b\(step % 5)", input: nil, facts: RandomFacts.make(using: &random),
                common: (version + step) / 7, by: step % 2 == 0 ? "alice" : "")
        }
    }

    /// The rows of the snapshot, of the past and of the changes by entry of all spaces.
    private func rows(_ name: String = "data") throws -> [String] {
        let connection = try DatabaseConnection(scratch.database(name), .reading)
        var rows: [String] = []
        for sql in [
            "SELECT variable || ' ' || entry || ' ' || value || ' ' || ifnull(since, '?') || ' ' || sum FROM state",
            """
            SELECT variable || ' ' || entry || ' ' || value || ' ' || ifnull(since, '?') || ' ' || until || ' ' || sum
            FROM past
            """,
            "SELECT variable || ' ' || version FROM touches",
        ] {
            let statement = try Statement(connection, sql + " ORDER BY 1")
            while try statement.step() { rows.append(statement.text(0)) }
        }
        return rows
    }

    // Law K12
    @Test(arguments: 1...8)
    func `every past state is the one that the commits made, across snapshots, trimming, restarts and copies`(
        _ seed: UInt64
    ) throws {
        var random = SplitMix64(seed: seed)
        let history = [10_000, 300, 90, 0][Int(seed) % 4]
        var journal = try SQLiteJournal(directory: scratch.directory(), history: history)
        var model = try PastModel()
        while model.records.count < 500 {
            let batch = batch(after: model.records.count, &random)
            #expect(try journal.append(batch).allSatisfy { $0 == .kept })
            try model.take(batch)
            // A load finds a long tail.
            if Bool.random(using: &random) { _ = try journal.load(.main) }
            if Bool.random(using: &random) { try journal.settle() }
            if Int.random(in: 0..<5, using: &random) == 0 {
                journal.close()
                #expect(try SQLiteJournal.check(scratch.directory()).problems == [])
                journal = try SQLiteJournal(directory: scratch.directory(), history: history)
            }
            if Int.random(in: 0..<3, using: &random) == 0 {
                let start = Int.random(in: 0..<17, using: &random)
                try model.compare(journal, history: history, versions: stride(from: start, through: 500, by: 17))
            }
        }
        _ = try journal.load(.main)
        try journal.settle()
        try model.compare(journal, history: history, versions: stride(from: 0, through: model.records.count, by: 3))
        for time in stride(from: 0, through: model.records.count / 3 + 1, by: 23) {
            let oldest = max(0, model.records.count - history)
            let last = model.records.last { $0.at.microseconds <= time }?.version ?? 0
            let found = try journal.version(of: .main, at: Timestamp(microseconds: Int64(time)))
            #expect(found == (last >= oldest ? last : nil), "time \(time)")
        }
        let leftover = "SELECT count(*) FROM past WHERE until <= (SELECT oldest FROM spaces)"
        #expect(try scratch.inspected().integer(leftover) == 0)
        journal.close()
        #expect(try SQLiteJournal.check(scratch.directory()).problems == [])
        try copies(model, history: history)
    }

    /// A copy by export and import has the same past, byte for byte.
    private func copies(_ model: PastModel, history: Int) throws {
        var lines: [[UInt8]] = []
        try SQLiteJournal.export(scratch.directory()) { lines.append($0) }
        var rest = lines[...]
        try SQLiteJournal.import(into: scratch.directory("copy")) { rest.popFirst() }
        #expect(try SQLiteJournal.check(scratch.directory("copy")).problems == [])
        var again: [[UInt8]] = []
        try SQLiteJournal.export(scratch.directory("copy")) { again.append($0) }
        #expect(again == lines)
        let copy = try SQLiteJournal(directory: scratch.directory("copy"), history: history)
        let before = stride(from: 0, through: model.records.count, by: 29)
        try model.compare(copy, history: history, versions: before)
        _ = try copy.load(.main)
        try copy.settle()
        try model.compare(copy, history: history, versions: before)
        copy.close()
        #expect(try SQLiteJournal.check(scratch.directory("copy")).problems == [])
    }

    @Test func `a copy of a journal has the same rows of the past`() throws {
        var random = SplitMix64(seed: 77)
        let journal = try SQLiteJournal(directory: scratch.directory(), history: 100)
        var version = 0
        while version < 1_500 {
            let batch = batch(after: version, &random)
            _ = try journal.append(batch)
            version += batch.count
        }
        _ = try journal.load(.main)
        try journal.settle()
        journal.close()
        var lines: [[UInt8]] = []
        try SQLiteJournal.export(scratch.directory()) { lines.append($0) }
        try SQLiteJournal.import(into: scratch.directory("copy")) { lines.isEmpty ? nil : lines.removeFirst() }
        let copy = try SQLiteJournal(directory: scratch.directory("copy"), history: 100)
        _ = try copy.load(.main)
        try copy.settle()
        copy.close()
        #expect(try rows("copy") == rows())
    }

    @Test(arguments: [0, 40])
    func `the past of an older program's journal is complete if all commits are, else it begins at the snapshot`(
        _ oldest: Int
    ) throws {
        var random = SplitMix64(seed: 5)
        let history = oldest == 0 ? 10_000 : 200
        var model = try PastModel()
        let journal = try SQLiteJournal(directory: scratch.directory("new"), history: history)
        while model.records.count < 300 {
            let batch = batch(after: model.records.count, &random)
            _ = try journal.append(batch)
            try model.take(batch)
        }
        _ = try journal.load(.main)
        try journal.settle()
        let more = batch(after: model.records.count, &random)
        _ = try journal.append(more)
        try model.take(more)
        journal.close()
        try makeOld()
        let again = try SQLiteJournal(directory: scratch.directory(), history: history)
        let every = stride(from: 0, through: model.records.count, by: 5)
        if oldest == 0 {
            try model.compare(again, history: history, versions: every)
            _ = try again.load(.main)
            try again.settle()
            try model.compare(again, history: history, versions: every)
            #expect(try scratch.inspected().integer("SELECT past FROM spaces") == 0 || more.count <= 64)
        } else {
            let start = try scratch.inspected().integer("SELECT snapshot FROM spaces")
            #expect(try again.load(.main, at: start - 1) == .gone(oldest: start))
            for version in start...model.records.count {
                guard case .state(let space, _) = try again.load(.main, at: version) else {
                    Issue.record("version \(version) is there")
                    continue
                }
                #expect(try Truth(space.facts) == model.states[version])
            }
        }
        again.close()
        #expect(try SQLiteJournal.check(scratch.directory()).problems == [])
    }

    /// Writes the content of the directory `new` as a program of the fourth schema did.
    private func makeOld() throws {
        try FileManager.default.createDirectory(atPath: scratch.directory(), withIntermediateDirectories: true)
        let connection = try DatabaseConnection(scratch.database(), .writing)
        try connection.writeAhead()
        try Schema.migrate(connection, steps: Array(Schema.steps[..<4]))
        try connection.execute(
            """
            ATTACH '\(scratch.database("new"))' AS new;
            INSERT INTO spaces (id, name, snapshot, oldest, sum) SELECT id, name, snapshot, oldest, sum FROM new.spaces;
            INSERT INTO runs SELECT * FROM new.runs WHERE last > (SELECT oldest FROM new.spaces);
            INSERT INTO state (space, variable, entry, value) SELECT space, variable, entry, value FROM new.state;
            DETACH new;
            """)
    }

    @Test(arguments: [
        (
            "UPDATE past SET value = '7' WHERE until = 100",
            "counter.count up to version 100 of the space main is not as"
        ),
        ("UPDATE past SET value = '7', sum = NULL WHERE until = 100", "up to version 100 of the space main differs"),
        ("UPDATE past SET since = 98, sum = NULL WHERE until = 100", "up to version 100 of the space main differs"),
        ("DELETE FROM past WHERE until = 100", "counter.count up to version 100 of the space main is missing"),
        ("UPDATE state SET since = 3, sum = NULL", "in the snapshot of the space main differs from its commits"),
        ("INSERT INTO past VALUES (1, 'a.b', '', 100, 99, '1', NULL)", "comes from no commit"),
        ("INSERT INTO past VALUES (9, 'a.b', '', 100, 99, '1', NULL)", "1 rows of past belong to no space"),
        ("INSERT INTO touches VALUES (1, 'a.b', 100)", "a.b by commit 100 of the space main comes from no commit"),
        ("DELETE FROM touches WHERE version = 1", "b.t by commit 1 of the space main is missing"),
        ("UPDATE alarms SET at = 5", "in alarms is not as it was written"),
        ("UPDATE deletions SET space = 'x'", "The deletion of the space x is not as it was written"),
    ])
    func `damage to the past is found`(_ sql: String, _ words: String) throws {
        let journal = try SQLiteJournal(directory: scratch.directory())
        let other = try #require(SpaceName("other"))
        _ = try journal.append([
            CommitRecord(
                space: .main, version: 1, at: Timestamp(microseconds: 0), action: "a/b", input: nil,
                facts: [Fact(variable: "b.t", entry: "k", value: Array("1".utf8))],
                alarm: Timestamp(microseconds: 9)), .counting(1, of: other),
        ])
        try journal.count(2...199)
        _ = try journal.append([
            CommitRecord(
                space: .main, version: 200, at: Timestamp(microseconds: 0), action: "a/b", input: nil,
                facts: [Fact(variable: "b.t", entry: "k", value: nil)], alarm: Timestamp(microseconds: 9))
        ])
        _ = try journal.forget(other)
        _ = try journal.load(.main)
        try journal.settle()
        journal.close()
        #expect(try SQLiteJournal.check(scratch.directory()).problems == [])
        try DatabaseConnection(scratch.database(), .writing).execute(sql)
        let problems = try SQLiteJournal.check(scratch.directory()).problems
        #expect(problems.contains { $0.contains(words) }, "\(problems)")
    }

    @Test func `forgetting a space removes its past from the file`() throws {
        let journal = try SQLiteJournal(directory: scratch.directory())
        let secret = "deepest-secret-value"
        for version in 1...200 {
            _ = try journal.append([
                CommitRecord(
                    space: .main, version: version, at: Timestamp(microseconds: 0), action: "a/b", input: nil,
                    facts: [
                        Fact(variable: "b.t", entry: "k\(version % 7)", value: Array("\"\(secret)\(version)\"".utf8))
                    ], alarm: Timestamp(microseconds: 9))
            ])
        }
        _ = try journal.load(.main)
        try journal.settle()
        #expect(try scratch.inspected().integer("SELECT count(*) FROM past") == 193)
        _ = try journal.forget(.main)
        try journal.settle()
        for table in ["past", "touches", "state", "alarms", "runs"] {
            #expect(try scratch.inspected().integer("SELECT count(*) FROM \(table)") == 0)
        }
        journal.close()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: scratch.database()))
        #expect(bytes.range(of: Data(secret.utf8)) == nil)
    }
}
