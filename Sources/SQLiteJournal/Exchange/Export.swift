package import StateStore

extension SQLiteJournal {
    /// Writes one space, or all in the order of their names, as lines (see `ExportRecord`). `import` creates an equal
    /// journal from them. All lines are from one read transaction, while a server may continue to write. Memory holds
    /// two lines at a time. An export that throws has no last line, so `import` refuses it.
    package static func export(
        _ directory: String, space: SpaceName? = nil, write: ([UInt8]) throws(JournalFailure) -> Void
    ) throws(JournalFailure) {
        let connection = try inspect(directory)
        let reader = try JournalReader(connection)
        var lines = ExportLines()
        try connection.transaction("DEFERRED") { () throws(JournalFailure) in
            if let space {
                guard let head = try reader.head(of: space) else {
                    throw JournalFailure(.unusable, "There is no space \(space) in \(directory).")
                }
                return try export(space, head, reader) { record throws(JournalFailure) in
                    try lines.add(record, write)
                }
            }
            try reader.eachSpace { space, head throws(JournalFailure) in
                try export(space, head, reader) { record throws(JournalFailure) in try lines.add(record, write) }
            }
        }
        try lines.end(write)
    }

    /// Writes the lines of a space.
    static func export(
        _ space: SpaceName, _ head: SpaceHead, _ reader: JournalReader,
        _ write: (ExportRecord) throws(JournalFailure) -> Void
    ) throws(JournalFailure) {
        let oldest = head.oldestState
        if oldest > 0 {
            var lines = BaseLines(
                space, version: oldest, oldest: head.oldest,
                made: try reader.commit(of: space, id: head.id, at: oldest))
            try reader.past.eachFact(of: space, id: head.id, at: oldest) { row throws(JournalFailure) in
                try lines.add(row.fact, since: row.since, write)
            }
            try lines.flush(write)
        }
        var written: [ByteString: Int] = [:]
        try reader.eachCommit(of: space, id: head.id, after: head.oldest) { commit throws(JournalFailure) in
            if let idempotency = commit.idempotency { written[ByteString(idempotency.key)] = commit.version }
            try write(.commit(commit))
        }
        // Answers are last, because they are newer than a commit with the same key.
        try reader.eachAnswer(of: space, id: head.id) { row throws(JournalFailure) in
            if written[ByteString(row.key)] != row.answer.version || !row.answer.result.isEmpty {
                try write(.answer(space: space, row))
            }
        }
        if let alarm = head.alarm { try write(.alarm(space: space, Timestamp(microseconds: Int64(alarm)))) }
        if head.hasWork { try write(.work(space: space)) }
    }
}
