package import StateStore

extension SQLiteJournal {
    /// The maximum number of rows of a line.
    private static let rowsLimit = 1_024

    /// Writes one space, or all in the order of their names, as lines (see `ExportRecord`). `import` creates an equal
    /// journal from them. All lines are from one read transaction, while a server may continue to write. Memory holds
    /// one line at a time.
    package static func export(
        _ directory: String, space: SpaceName? = nil, write: ([UInt8]) throws(JournalFailure) -> Void
    ) throws(JournalFailure) {
        let connection = try inspect(directory)
        let reader = try JournalReader(connection)
        try connection.transaction("DEFERRED") { () throws(JournalFailure) in
            if let space {
                guard let head = try reader.head(of: space) else {
                    throw JournalFailure(.unusable, "There is no space \(space) in \(directory).")
                }
                return try export(space, head, reader, write)
            }
            try reader.eachSpace { space, head throws(JournalFailure) in try export(space, head, reader, write) }
        }
    }

    private static func export(
        _ space: SpaceName, _ head: SpaceHead, _ reader: JournalReader,
        _ write: ([UInt8]) throws(JournalFailure) -> Void
    ) throws(JournalFailure) {
        let oldest = head.oldestState
        if oldest > 0 {
            // The commit that made the state is in the first line only.
            var made = try reader.commit(of: space, id: head.id, at: oldest)
            var rows: [(fact: Fact, since: Int?)] = []
            func flush() throws(JournalFailure) {
                let base = ExportRecord.Base(version: oldest, oldest: head.oldest, rows: rows, made: made)
                try write(ExportRecord.snapshot(space: space, base).text)
                made = nil
                rows = []
            }
            try reader.past.eachFact(of: space, id: head.id, at: oldest) { row throws(JournalFailure) in
                // A line contains a variable either as a whole or by entry.
                let last = rows.last.flatMap { $0.fact.entry == nil ? ByteString($0.fact.variable) : nil }
                let isSwitch = last == ByteString(row.fact.variable)
                if isSwitch || rows.count == Self.rowsLimit { try flush() }
                rows.append((row.fact, row.since))
            }
            try flush()
        }
        var written: [ByteString: Int] = [:]
        try reader.eachCommit(of: space, id: head.id, after: head.oldest) { commit throws(JournalFailure) in
            if let idempotency = commit.idempotency { written[ByteString(idempotency.key)] = commit.version }
            try write(ExportRecord.commit(commit).text)
        }
        // Answers are last, because they are newer than a commit with the same key.
        try reader.eachAnswer(of: space, id: head.id) { row throws(JournalFailure) in
            if written[ByteString(row.key)] != row.answer.version || !row.answer.result.isEmpty {
                try write(ExportRecord.answer(space: space, row).text)
            }
        }
        if let alarm = head.alarm {
            try write(ExportRecord.alarm(space: space, Timestamp(microseconds: Int64(alarm))).text)
        }
        if head.hasWork { try write(ExportRecord.work(space: space).text) }
    }
}
