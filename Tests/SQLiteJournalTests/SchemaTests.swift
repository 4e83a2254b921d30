@testable import SQLiteJournal
import Glibc
import StateStore
import Testing

@Suite struct SchemaTests {
    private let newer = Schema.steps + ["ALTER TABLE spaces ADD COLUMN colour TEXT; UPDATE spaces SET colour = 'blue'"]

    @Test func `a journal of an older program is upgraded, and nothing is lost`() throws {
        let scratch = try Scratch()
        let journal = try SQLiteJournal(directory: scratch.directory())
        try journal.count(1...3)
        journal.close()
        let connection = try DatabaseConnection(scratch.database(), .writing)
        try Schema.migrate(connection, steps: newer)
        #expect(try connection.integer("PRAGMA user_version") == newer.count)
        #expect(try connection.integer("SELECT count(*) FROM spaces WHERE colour = 'blue'") == 1)
        #expect(try connection.integer("SELECT sum(last - first + 1) FROM runs") == 3)
        // Once is enough.
        try Schema.migrate(connection, steps: newer)
    }

    @Test func `a journal of release 0.3 is read as it is, and one of this release is refused by 0.3`() throws {
        let scratch = try Scratch()
        let old = Array(Schema.steps.prefix(Schema.tablesVersion))
        try SQLiteJournal(directory: scratch.directory()).close()
        let connection = try DatabaseConnection(scratch.database(), .writing)
        let failure = #expect(throws: JournalFailure.self) { try Schema.migrate(connection, steps: old) }
        #expect(failure?.kind == .newer)
        #expect(failure?.description.contains("newer Headwater (schema 6; this one knows 5)") == true)
        try connection.execute("PRAGMA user_version = 5")
        #expect(try SQLiteJournal.check(scratch.directory()).problems == [])
        let journal = try SQLiteJournal(directory: scratch.directory())
        journal.close()
        #expect(try connection.integer("PRAGMA user_version") == 6)
    }

    @Test func `a journal of the first schema is upgraded, and its spaces have no work`() throws {
        let scratch = try Scratch()
        try SQLiteJournal(directory: scratch.directory()).close()
        let old = scratch.directory() + "/old.sqlite"
        let connection = try DatabaseConnection(old, .writing)
        try Schema.migrate(connection, steps: [Schema.steps[0]])
        try connection.execute(
            """
            INSERT INTO spaces (id, name) VALUES (1, 'main');
            INSERT INTO commits (space, version, at, action, changed) VALUES (1, 1, 5, 'counter/add', '{"counter.count":1}');
            INSERT INTO commits (space, version, at, action, input, changed, partial, key, fingerprint)
                VALUES (1, 2, 6, 'a/"b"', '[1]', '{"a.t":{"x":2},"a.n":3}', '["a.t"]', 'k', -1);
            """)
        #expect(try connection.integer("PRAGMA user_version") == 1)
        #expect(rename(old, scratch.database()) == 0)
        let journal = try SQLiteJournal(directory: scratch.directory())
        #expect(try journal.load(.main)?.version == 2)
        let second = CommitRecord(
            space: .main, version: 2, at: Timestamp(microseconds: 6), action: #"a/"b""#, input: Array("[1]".utf8),
            facts: [
                Fact(variable: "a.t", entry: "x", value: Array("2".utf8)),
                Fact(variable: "a.n", value: Array("3".utf8)),
            ], idempotency: Idempotency(key: "k", fingerprint: .max))
        let first = CommitRecord(
            space: .main, version: 1, at: Timestamp(microseconds: 5), action: "counter/add", input: nil,
            facts: [Fact(variable: "counter.count", value: Array("1".utf8))])
        #expect(try journal.read(.main, after: 0, limit: 10) == .commits([first, second]))
        #expect(try journal.spacesWithWork(after: nil, limit: 10).isEmpty)
        _ = try journal.append([
            CommitRecord(
                space: .main, version: 3, at: Timestamp(microseconds: 7), action: "counter/add", input: nil,
                facts: [Fact(variable: "counter.count", value: Array("2".utf8))], leavesWork: true)
        ])
        #expect(try journal.spacesWithWork(after: nil, limit: 10) == [.main])
        journal.close()
        #expect(try SQLiteJournal(directory: scratch.directory()).spacesWithWork(after: nil, limit: 10) == [.main])
        #expect(try SQLiteJournal.check(scratch.directory()).problems == [])
        #expect(
            try scratch.inspected().integer(
                "SELECT count(*) FROM history WHERE action = 'a/\"b\"' AND input = '[1]' AND key = 'k'") == 1)
    }

    @Test func `a step that fails leaves everything as it was`() throws {
        let scratch = try Scratch()
        try SQLiteJournal(directory: scratch.directory()).close()
        let connection = try DatabaseConnection(scratch.database(), .writing)
        #expect(throws: JournalFailure.self) {
            try Schema.migrate(connection, steps: newer + ["CREATE TABLE runs (x)"])
        }
        #expect(try connection.integer("PRAGMA user_version") == Schema.steps.count)
        #expect(try connection.integer("SELECT count(*) FROM pragma_table_info('spaces') WHERE name = 'colour'") == 0)
        try Schema.check(connection)
    }

    @Test func `a person can read the history`() throws {
        let scratch = try Scratch()
        let journal = try SQLiteJournal(directory: scratch.directory())
        _ = try journal.append([.counting(1, at: 1_700_000_000_250_000)])
        let row = try Statement(
            scratch.inspected(),
            "SELECT space || ' ' || version || ' ' || at || ' ' || action || ' ' || changed FROM history")
        #expect(try row.step())
        #expect(row.text(0) == #"main 1 2023-11-14T22:13:20.250Z counter/add {"counter.count":1}"#)
    }
}
