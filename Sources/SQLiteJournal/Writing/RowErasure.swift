internal import StateStore

/// The erasure of a row from the tables of the journal, in the transaction of its commit.
///
/// Each commit that has the row keeps its version and gets the removal of the row in place of its value. So the commits
/// make a state without the row at every version, and the rows of `state` and `past` become those of these commits.
struct RowErasure {
    private let connection: DatabaseConnection
    private let space: SpaceName
    private let head: SpaceHead
    private let row: ErasedRow
    /// The column `entry` of the row.
    private let entry: [UInt8]
    /// The versions that changed the row by entry, by the name of the variable.
    private var changes: [ByteString: [Int]] = [:]
    /// The versions whose commits had the row.
    private var versions: [Int] = []

    init(_ row: ErasedRow, of space: SpaceName, _ head: SpaceHead, _ connection: DatabaseConnection) {
        (self.row, self.space, self.head, self.connection) = (row, space, head, connection)
        entry = StateRow.entry(row.key)
    }

    /// Erases the row.
    mutating func run() throws(JournalFailure) {
        try eraseFromRuns()
        for variable in try variables() {
            try eraseFromState(variable)
            try eraseFromPast(variable)
        }
        try eraseFromAnswers()
        try eraseFromQueues()
    }

    // MARK: Commits

    private mutating func eraseFromRuns() throws(JournalFailure) {
        // The key is in the text of each commit that has the row, as a member's name.
        let found = try Statement(
            connection, "SELECT seq FROM runs WHERE space = ?1 AND instr(CAST(commits AS TEXT), ?2) > 0")
        found.bind(.integer(head.id), .bytes(entry))
        var places: [Int] = []
        while try found.step() { places.append(found.integer(0)) }
        let read = try Statement(connection, "SELECT \(CommitBatch.columns) FROM runs WHERE seq = ?1")
        let write = try Statement(connection, "UPDATE runs SET commits = ?2, leaves = ?3, sum = ?4 WHERE seq = ?1")
        for place in places {
            read.bind(.integer(place))
            guard try read.step() else { continue }
            let batch = try CommitBatch(read, of: space, at: connection.path)
            read.reset()
            guard let erased = try batch.erasing(row) else { continue }
            try write.run(
                .integer(place), .bytes(erased.text), erased.leaves.map { .bytes($0) } ?? .null, .integer(erased.sum))
            versions += erased.versions
            for (variable, version) in erased.changes { changes[ByteString(variable), default: []].append(version) }
        }
    }

    /// The names in facts of the table, and of the tables of earlier features of this name.
    private func variables() throws(JournalFailure) -> [String] {
        var names = Set(changes.keys.map(\.text))
        for table in ["state", "past"] {
            let found = try Statement(
                connection,
                "SELECT DISTINCT variable FROM \(table) WHERE space = ?1 AND variable >= ?2 AND variable < ?2 || char(127)"
            )
            found.bind(.integer(head.id), .text(row.table))
            while try found.step() {
                let name = found.text(0)
                if row.isOf(name) { names.insert(name) }
            }
        }
        return names.sorted()
    }

    // MARK: The snapshot and the past

    private func eraseFromState(_ variable: String) throws(JournalFailure) {
        try Statement(connection, "DELETE FROM state WHERE space = ?1 AND variable = ?2 AND entry = ?3")
            .run(.integer(head.id), .text(variable), .bytes(entry))
        let read = try Statement(
            connection, "SELECT value, since FROM state WHERE space = ?1 AND variable = ?2 AND entry = ''")
        read.bind(.integer(head.id), .text(variable))
        guard try read.step() else { return }
        let (value, since) = (read.bytes(0), read.isNull(1) ? nil : read.integer(1))
        read.reset()
        guard let rest = row.without(whole: value) else { return }
        try Statement(
            connection, "UPDATE state SET value = ?3, sum = ?4 WHERE space = ?1 AND variable = ?2 AND entry = ''"
        ).run(
            .integer(head.id), .text(variable), .bytes(rest),
            .integer(StateRow.sum(variable, [], rest, since: since, until: nil)))
    }

    private func eraseFromPast(_ variable: String) throws(JournalFailure) {
        try Statement(connection, "DELETE FROM past WHERE space = ?1 AND variable = ?2 AND entry = ?3")
            .run(.integer(head.id), .text(variable), .bytes(entry))
        try eraseFromWholePast(variable)
        // The removal of a row that is not there holds for no version, but is a change (`SnapshotAdvance`).
        let insert = try Statement(
            connection,
            """
            INSERT OR REPLACE INTO past (space, variable, entry, until, since, value, sum)
            VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6)
            """)
        let start = max(head.oldest, head.past)
        for version in changes[ByteString(variable)] ?? [] where version > start && version <= head.snapshot {
            try insert.run(
                .integer(head.id), .text(variable), .bytes(entry), .integer(version), .bytes(FactsText.null),
                .integer(StateRow.sum(variable, entry, FactsText.null, since: version, until: version)))
        }
    }

    private func eraseFromWholePast(_ variable: String) throws(JournalFailure) {
        let read = try Statement(
            connection,
            "SELECT until, since, value FROM past WHERE space = ?1 AND variable = ?2 AND entry = '' AND instr(CAST(value AS TEXT), ?3) > 0"
        )
        read.bind(.integer(head.id), .text(variable), .bytes(entry))
        var ended: [(until: Int, since: Int?, rest: [UInt8])] = []
        while try read.step() {
            guard let rest = row.without(whole: read.bytes(2)) else { continue }
            ended.append((read.integer(0), read.isNull(1) ? nil : read.integer(1), rest))
        }
        let write = try Statement(
            connection,
            "UPDATE past SET value = ?4, sum = ?5 WHERE space = ?1 AND variable = ?2 AND entry = '' AND until = ?3")
        for (until, since, rest) in ended {
            try write.run(
                .integer(head.id), .text(variable), .integer(until), .bytes(rest),
                .integer(StateRow.sum(variable, [], rest, since: since, until: until)))
        }
    }

    // MARK: Answers

    /// Drops the values that actions in queues answered whose commits had the row.
    private func eraseFromQueues() throws(JournalFailure) {
        let versions = Set(versions)
        if versions.isEmpty { return }
        for (table, until) in [("state", "NULL"), ("past", "until")] {
            let read = try Statement(
                connection,
                "SELECT entry, value, since, \(until) FROM \(table) WHERE space = ?1 AND variable = ?2")
            read.bind(.integer(head.id), .text(Fact.queueVariable))
            var erased: [(entry: [UInt8], value: [UInt8], since: Int?, until: Int?)] = []
            while try read.step() {
                let (entry, value) = (read.bytes(0), read.bytes(1))
                let fact = Fact(variable: Fact.queueVariable, entry: "", value: value)
                guard let rest = fact.withoutAnswer(ofVersions: versions)?.value else { continue }
                let (since, until) = (read.isNull(2) ? nil : read.integer(2), read.isNull(3) ? nil : read.integer(3))
                erased.append((entry, rest, since, until))
            }
            let write = try Statement(
                connection,
                """
                UPDATE \(table) SET value = ?4, sum = ?5 WHERE space = ?1 AND variable = ?2 AND entry = ?3
                \(table == "past" ? "AND until = ?6" : "")
                """)
            for row in erased {
                let sum = StateRow.sum(Fact.queueVariable, row.entry, row.value, since: row.since, until: row.until)
                try write.run(
                    .integer(head.id), .text(Fact.queueVariable), .bytes(row.entry), .bytes(row.value), .integer(sum),
                    row.until.map { .integer($0) } ?? .null)
            }
        }
    }

    /// Drops the values that actions answered whose commits had the row.
    private func eraseFromAnswers() throws(JournalFailure) {
        let read = try Statement(
            connection, "SELECT \(AnswerRow.columns) FROM answers WHERE space = ?1 AND version = ?2")
        let write = try Statement(
            connection,
            "INSERT OR REPLACE INTO answers (space, \(AnswerRow.columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
        for version in versions {
            var rows: [AnswerRow] = []
            read.bind(.integer(head.id), .integer(version))
            while try read.step() { rows.append(try AnswerRow(read, of: space, at: connection.path)) }
            for row in rows where !row.answer.result.isEmpty {
                let answer = StoredAnswer(
                    fingerprint: row.answer.fingerprint, version: row.answer.version, changed: row.answer.changed)
                try AnswerRow(key: row.key, answer: answer, at: row.at).insert(space: head.id, by: write)
            }
        }
    }
}
