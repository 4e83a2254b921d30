internal import StateStore

/// The reads that verify the rows of a space, some at a time: the sum of each row, and that no commit is missing.
final class Verification {
    private static let rowsLimit = 128

    /// The place of the next read in a space.
    struct VerificationPlace {
        fileprivate var table = 0
        fileprivate var version = 0
        fileprivate var variable: [UInt8] = []
        fileprivate var entry: [UInt8] = []
        fileprivate var until = 0

        /// True if the place comes after another.
        fileprivate func follows(_ other: VerificationPlace) -> Bool {
            if table != other.table { return table > other.table }
            if version != other.version { return version > other.version }
            if variable != other.variable { return other.variable.lexicographicallyPrecedes(variable) }
            if entry != other.entry { return other.entry.lexicographicallyPrecedes(entry) }
            return until > other.until
        }

        fileprivate mutating func move() {
            self = VerificationPlace(table: table + 1)
        }
    }

    private let connection: DatabaseConnection
    private let reader: JournalReader
    private let row: Statement
    private let runs: Statement
    private let state: Statement
    private let past: Statement
    private let answers: Statement
    private let touches: Statement

    init(_ connection: DatabaseConnection) throws(JournalFailure) {
        self.connection = connection
        reader = try JournalReader(connection)
        row = try Statement(
            connection,
            "SELECT sum, (SELECT at FROM alarms WHERE space = id), (SELECT sum FROM alarms WHERE space = id) FROM spaces WHERE id = ?1"
        )
        runs = try Statement(
            connection,
            "SELECT \(CommitBatch.columns) FROM runs WHERE space = ?1 AND last > ?2 ORDER BY last LIMIT \(Self.rowsLimit)"
        )
        state = try Statement(
            connection,
            """
            SELECT variable, entry, value, since, sum FROM state WHERE space = ?1 AND (variable, entry) > (?2, ?3)
            ORDER BY variable, entry LIMIT \(Self.rowsLimit)
            """)
        past = try Statement(
            connection,
            """
            SELECT variable, entry, value, since, sum, until FROM past
            WHERE space = ?1 AND (variable, entry, until) > (?2, ?3, ?4)
            ORDER BY variable, entry, until LIMIT \(Self.rowsLimit)
            """)
        answers = try Statement(
            connection,
            "SELECT \(AnswerRow.columns) FROM answers WHERE space = ?1 AND key > ?2 ORDER BY key LIMIT \(Self.rowsLimit)"
        )
        touches = try Statement(connection, "SELECT count(version) FROM touches WHERE space = ?1")
    }

    /// The names of spaces, in their order.
    func names(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [SpaceName] {
        try reader.spaces(after: name, limit: limit).map(\.name)
    }

    /// Verifies some rows. Returns false after the last. Throws if one is damaged.
    func step(_ space: SpaceName, _ place: inout VerificationPlace) throws(JournalFailure) -> Bool {
        var next = place
        let hasMore = try connection.transaction("DEFERRED") { () throws(JournalFailure) in
            guard let head = try reader.head(of: space) else { return false }
            switch next.table {
            case 0: try verifyHead(space, head, &next)
            case 1: try verifyRuns(space, head, &next)
            case 2: try verifyState(space, head, &next)
            case 3: try verifyPast(space, head, &next)
            case 4: try verifyAnswers(space, head, &next)
            default: return false
            }
            // A damaged page can have its rows in another order. Then the reads would have no end.
            guard next.follows(place) else {
                throw .damaged(connection.path, "rows of the space \(space) are out of order")
            }
            return true
        }
        place = next
        return hasMore
    }

    private func verifyHead(
        _ space: SpaceName, _ head: SpaceHead, _ place: inout VerificationPlace
    ) throws(JournalFailure) {
        row.bind(.integer(head.id))
        defer { row.reset() }
        if try row.step() {
            guard row.isNull(0) || row.integer(0) == SpaceHead.sum(head.id, space.description) else {
                throw .damaged(connection.path, "the row of the space \(space) in spaces is not as it was written")
            }
            guard row.isNull(2) || row.integer(2) == SpaceHead.sum(ofAlarm: row.integer(1), of: head.id) else {
                throw .damaged(connection.path, "the row of the space \(space) in alarms is not as it was written")
            }
        }
        guard head.oldest <= head.snapshot, head.snapshot <= head.version else {
            throw .damaged(
                connection.path,
                "the snapshot of the space \(space) is at \(head.snapshot), its commits go from \(head.oldest) to \(head.version)"
            )
        }
        touches.bind(.integer(head.id))
        _ = try touches.step()
        touches.reset()
        place.move()
    }

    private func verifyRuns(
        _ space: SpaceName, _ head: SpaceHead, _ place: inout VerificationPlace
    ) throws(JournalFailure) {
        var version = max(place.version, head.oldest)
        runs.bind(.integer(head.id), .integer(version))
        defer { runs.reset() }
        var count = 0
        while try runs.step() {
            let run = try CommitBatch(runs, of: space, at: connection.path)
            guard run.first <= version + 1 else {
                throw .damaged(
                    connection.path, "commits of the space \(space) between \(version) and \(run.first) are missing")
            }
            _ = try run.commits()
            version = run.last
            count += 1
        }
        place.version = version
        if count < Self.rowsLimit { place.move() }
    }

    private func verifyState(
        _ space: SpaceName, _ head: SpaceHead, _ place: inout VerificationPlace
    ) throws(JournalFailure) {
        state.bind(.integer(head.id), .bytes(place.variable), .bytes(place.entry))
        defer { state.reset() }
        var count = 0
        while try state.step() {
            _ = try StateRow(state, of: space, at: connection.path)
            (place.variable, place.entry) = (state.bytes(0), state.bytes(1))
            count += 1
        }
        if count < Self.rowsLimit { place.move() }
    }

    private func verifyPast(
        _ space: SpaceName, _ head: SpaceHead, _ place: inout VerificationPlace
    ) throws(JournalFailure) {
        past.bind(.integer(head.id), .bytes(place.variable), .bytes(place.entry), .integer(place.until))
        defer { past.reset() }
        var count = 0
        while try past.step() {
            _ = try StateRow(ended: past, of: space, at: connection.path)
            (place.variable, place.entry, place.until) = (past.bytes(0), past.bytes(1), past.integer(5))
            count += 1
        }
        if count < Self.rowsLimit { place.move() }
    }

    private func verifyAnswers(
        _ space: SpaceName, _ head: SpaceHead, _ place: inout VerificationPlace
    ) throws(JournalFailure) {
        answers.bind(.integer(head.id), .bytes(place.variable))
        defer { answers.reset() }
        var count = 0
        while try answers.step() {
            _ = try AnswerRow(answers, of: space, at: connection.path)
            place.variable = answers.bytes(0)
            count += 1
        }
        if count == Self.rowsLimit { return }
        try EntryAnswers.each(of: space, id: head.id, on: connection) { _ in }
        place.move()
    }
}
