internal import JSON
internal import StateStore

/// Writes the lines of an export to a new database.
final class Importer {
    /// The number of commits in one transaction.
    static let batchLimit = 1_000

    private let writer: BatchWriter
    private let snapshots: SnapshotRows
    private let beginSpace: Statement
    private let moveSnapshot: Statement
    private var number = 0
    /// The lines since the first one of an export; nil before it and after its last line.
    private var lines: Int?
    private var batch: [(line: Int, commit: CommitRecord)] = []
    /// Spaces whose commits have not reached their snapshot yet. Until then, their rows hold the snapshot at the
    /// version where the commits begin.
    private var behind: [SpaceName: (snapshot: Int, oldest: Int, line: Int)] = [:]

    init(_ path: String) throws(JournalFailure) {
        let connection = try DatabaseConnection(path, .writing)
        try connection.writeAhead()
        // Before it is published, the draft need not survive a crash.
        try connection.execute("PRAGMA synchronous = OFF")
        try Schema.migrate(connection)
        writer = try BatchWriter(connection, .none)
        snapshots = try SnapshotRows(connection)
        beginSpace = try Statement(connection, "UPDATE spaces SET snapshot = ?2, oldest = ?2, past = ?2 WHERE id = ?1")
        moveSnapshot = try Statement(connection, "UPDATE spaces SET snapshot = ?2, past = ?2 WHERE name = ?1")
    }

    /// Imports the next line.
    func take(_ text: [UInt8]) throws(JournalFailure) {
        number += 1
        if text == ExportLines.empty, lines == nil { return }
        var frame = ExportRecord.LineFrame()
        let line: ExportRecord
        do { line = try ExportRecord(text, &frame) } catch { throw wrong(number, error.description) }
        if frame.begins {
            guard lines == nil else { throw wrong(number, "an export begins, and the one before has no last line") }
            lines = 0
        }
        lines = lines.map { $0 + 1 }
        if let count = frame.lines {
            guard let lines, lines == count else {
                throw wrong(number, "it ends an export of \(count) lines, and \(lines ?? 0) came")
            }
            self.lines = nil
        }
        try take(line)
    }

    /// Imports the next record.
    func take(_ record: ExportRecord) throws(JournalFailure) {
        switch record {
        case .commit(let commit):
            guard !commit.facts.isEmpty else {
                throw wrong(number, "version \(commit.version) of the space \(commit.space) changes nothing")
            }
            batch.append((number, commit))
            if batch.count == Self.batchLimit { try flush() }
        case .snapshot(let space, let base):
            try flush()
            try take(base, of: space)
        case .alarm(let space, let at):
            try flush()
            guard var head = try writer.head(of: space) else {
                throw wrong(number, "the space \(space) has no line before")
            }
            guard head.alarm == nil else { throw wrong(number, "the space \(space) has such a line before") }
            head.alarm = Int(at.microseconds)
            try writer.note(alarm: head.alarm, of: head.id)
            writer.heads[space] = head
        case .answer(let space, let row):
            try flush()
            guard let head = try writer.head(of: space) else {
                throw wrong(number, "the space \(space) has no line before")
            }
            try writer.keep(row, space: head.id)
        case .work(let space):
            try flush()
            guard var head = try writer.head(of: space) else {
                throw wrong(number, "the space \(space) has no line before")
            }
            guard !head.hasWork else { throw wrong(number, "the space \(space) has such a line before") }
            try writer.note(true, of: head.id)
            head.hasWork = true
            writer.heads[space] = head
        }
    }

    private func take(_ base: ExportRecord.Base, of space: SpaceName) throws(JournalFailure) {
        let (version, oldest) = (base.version, base.oldest)
        let head: SpaceHead
        if let known = try writer.head(of: space) {
            guard known.version == oldest, behind[space].map({ $0.snapshot == version && $0.oldest == oldest }) ?? false
            else {
                throw wrong(number, "the space \(space) has begun before")
            }
            head = known
        } else {
            head = try writer.begin(space, at: oldest)
            try beginSpace.run(.integer(head.id), .integer(oldest))
            behind[space] = (version, oldest, number)
            if let made = base.made, version == oldest {
                guard made.version == oldest else {
                    throw wrong(number, "the commit that made version \(oldest) has the version \(made.version)")
                }
                try writer.keep(made, space: head.id)
            }
        }
        try writer.transaction(isNews: false) { () throws(JournalFailure) in
            for (fact, since) in base.rows {
                let row = SnapshotAdvance.SinceValue(value: fact.value ?? FactsText.null, since: since)
                try snapshots.put(row, fact.variable, StateRow.entry(fact.entry), in: head.id)
            }
        }
    }

    private func flush() throws(JournalFailure) {
        guard !batch.isEmpty else { return }
        for (index, outcome) in try writer.append(batch.map(\.commit)).enumerated() {
            let (line, commit) = batch[index]
            if case .moved(let version) = outcome {
                throw wrong(line, "version \(commit.version) of the space \(commit.space) cannot follow \(version)")
            }
            if let awaited = behind[commit.space], awaited.snapshot == commit.version {
                try arrive(commit.space, awaited.snapshot)
            }
        }
        batch = []
    }

    private func arrive(_ space: SpaceName, _ version: Int) throws(JournalFailure) {
        try moveSnapshot.run(.text(space.description), .integer(version))
        behind[space] = nil
    }

    /// Writes the remaining commits. Throws if a space lacks commits up to its snapshot.
    func finish() throws(JournalFailure) {
        try flush()
        guard lines == nil else {
            throw JournalFailure(
                .damaged,
                "The last line of the export is missing: it was cut off, or it failed. Nothing was imported. Of a damaged directory, save what is readable with `headwater repair`."
            )
        }
        for (space, awaited) in behind {
            guard awaited.snapshot == awaited.oldest else {
                throw wrong(
                    awaited.line,
                    "commits of the space \(space) up to its snapshot at \(awaited.snapshot) do not follow")
            }
        }
        try writer.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    private func wrong(_ line: Int, _ reason: String) -> JournalFailure {
        JournalFailure(.damaged, "Line \(line) cannot be imported: \(reason). Nothing was imported.")
    }
}
