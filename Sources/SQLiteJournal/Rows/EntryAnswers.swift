internal import JSON
internal import StateStore

/// The answers to keys that nodes have made: those of the commits of a space in one entry of the log, in one row. Only a
/// copy has their table.
final class EntryAnswers {
    private static let table = """
        CREATE TABLE IF NOT EXISTS entry_answers (
            seq INTEGER PRIMARY KEY,
            space INTEGER NOT NULL,
            number INTEGER NOT NULL, -- of the entry in its lane
            at INTEGER NOT NULL,     -- the time of its last commit, in microseconds since 1970
            answers TEXT NOT NULL,   -- JSON: an object for each key, with the members of a row of answers
            sum INTEGER              -- of what stands before it; set it to NULL after mending by hand
        );
        CREATE INDEX IF NOT EXISTS entry_answers_by_number ON entry_answers (space, number);
        """

    private let insert: Statement
    private let remove: Statement

    /// Makes the table, if there is none.
    init(_ connection: DatabaseConnection) throws(JournalFailure) {
        try connection.execute(Self.table)
        insert = try Statement(
            connection, "INSERT INTO entry_answers (space, number, at, answers, sum) VALUES (?1, ?2, ?3, ?4, ?5)")
        remove = try Statement(
            connection,
            """
            DELETE FROM entry_answers WHERE seq IN
                (SELECT seq FROM (SELECT seq, at FROM entry_answers ORDER BY seq LIMIT \(Maintenance.rowsLimit)) WHERE at < ?1)
            """)
    }

    // MARK: Writing

    /// Stores the answers of commits of a space in an entry, in the transaction of the caller.
    func store(_ commits: [CommitRecord], space: Int, entry number: Int) throws(JournalFailure) {
        guard let last = commits.last else { return }
        let (time, text) = (Int(last.at.microseconds), Self.text(of: commits))
        try insert.run(
            .integer(space), .integer(number), .integer(time), .bytes(text), .integer(Self.sum(number, time, text)))
    }

    private static func text(of commits: [CommitRecord]) -> [UInt8] {
        var writer = JSONWriter(depth: CommitText.depthLimit)
        writer.object { writer in
            for commit in commits {
                guard let idempotency = commit.idempotency else { continue }
                writer.field(idempotency.key) { writer in
                    writer.object { writer in
                        writer.field("fingerprint", String(idempotency.fingerprint, radix: 16))
                        writer.field("version", commit.version)
                        writer.field("changed", commit.changed)
                    }
                }
            }
        }
        return writer.bytes
    }

    private static func sum(_ number: Int, _ time: Int, _ text: [UInt8]) -> Int {
        var sum = Checksum()
        sum.add(number)
        sum.add(time)
        sum.add(text)
        return sum.value
    }

    /// Deletes answers from before a time. Returns true if there may be more.
    func expire(before time: Timestamp, _ connection: DatabaseConnection) throws(JournalFailure) -> Bool {
        try remove.run(.integer(Int(time.microseconds)))
        return connection.changes > 0
    }

    // MARK: Reading

    /// Returns true if a database has the table.
    static func exist(on connection: DatabaseConnection) throws(JournalFailure) -> Bool {
        try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'entry_answers'") > 0
    }

    /// Returns the answer to a key of a space, if it is stored with its entry and is not from before a time.
    static func answer(
        to key: String, of space: SpaceName, since earliest: Timestamp, on connection: DatabaseConnection
    ) throws(JournalFailure) -> StoredAnswer? {
        guard let entry = NodeKey.entry(in: key), try exist(on: connection) else { return nil }
        let find = try Statement(
            connection,
            """
            SELECT number, at, answers, sum FROM entry_answers
            WHERE space = (SELECT id FROM spaces WHERE name = ?1) AND number > ?2 AND number <= ?3 AND at >= ?4
                AND instr(answers, ?5)
            ORDER BY number DESC
            """)
        let last = min(entry, .max - NodeKey.reach) + NodeKey.reach
        var member = JSONWriter()
        member.string(key)
        find.bind(
            .text(space.description), .integer(entry), .integer(last), .integer(Int(earliest.microseconds)),
            .bytes(member.bytes))
        while try find.step() {
            for row in try rows(find, of: space, connection) where ByteString(row.key) == ByteString(key) {
                return row.answer
            }
        }
        return nil
    }

    /// Calls `body` with the answers of a space, in the order of their entries.
    static func each(
        of space: SpaceName, id: Int, on connection: DatabaseConnection,
        _ body: (AnswerRow) throws(JournalFailure) -> Void
    ) throws(JournalFailure) {
        guard try exist(on: connection) else { return }
        let find = try Statement(
            connection, "SELECT number, at, answers, sum FROM entry_answers WHERE space = ?1 ORDER BY number")
        find.bind(.integer(id))
        while try find.step() {
            for row in try rows(find, of: space, connection) { try body(row) }
        }
    }

    /// The answers in the current row of a statement. Throws if it differs from its sum.
    private static func rows(
        _ row: Statement, of space: SpaceName, _ connection: DatabaseConnection
    ) throws(JournalFailure) -> [AnswerRow] {
        let (number, time, text) = (row.integer(0), row.integer(1), row.bytes(2))
        guard row.isNull(3) || row.integer(3) == sum(number, time, text) else {
            throw .damaged(
                connection.path, "the answers of entry \(number) in the space \(space) are not as they were written")
        }
        var rows: [AnswerRow] = []
        do throws(JSONError) {
            try JSONReader.read(text.span, depth: CommitText.depthLimit) { reader throws(JSONError) in
                try reader.members { key, reader throws(JSONError) in
                    let start = reader.offset
                    var fields = try reader.fields()
                    let answer = StoredAnswer(
                        fingerprint: try CommitText.fingerprint(try fields.required("fingerprint"), at: start),
                        version: try fields.required("version"), changed: try fields.required("changed"))
                    try reader.end(fields)
                    rows.append(AnswerRow(key: key, answer: answer, at: Timestamp(microseconds: Int64(time))))
                }
            }
        } catch {
            throw .damaged(
                connection.path, "the answers of entry \(number) in the space \(space) cannot be read (\(error))")
        }
        return rows
    }
}
