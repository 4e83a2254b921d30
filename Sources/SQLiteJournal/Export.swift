public import StateStore

extension SQLiteJournal {
    /// Writes what a directory keeps, of one space or of all in the order of their names, in lines that `import` makes an equal journal of. See
    /// `Line` for what they say. It is all of one moment, while a server may go on writing; only what a line takes is held in memory.
    public static func export(
        _ directory: String, space: SpaceName? = nil, write: ([UInt8]) throws(JournalFailure) -> Void
    ) throws(JournalFailure) {
        let connection = try inspect(directory)
        let reader = try Reader(connection)
        try connection.transaction("DEFERRED") { () throws(JournalFailure) in
            if let space {
                guard let head = try reader.head(of: space) else {
                    throw JournalFailure(.unusable, "Nothing is kept of a space \(space) in \(directory).")
                }
                return try export(space, head, reader, write)
            }
            try reader.eachSpace { space, head throws(JournalFailure) in try export(space, head, reader, write) }
        }
    }

    private static func export(
        _ space: SpaceName, _ head: Head, _ reader: Reader, _ write: ([UInt8]) throws(JournalFailure) -> Void
    ) throws(JournalFailure) {
        if head.oldest > 0 {
            var facts: [Fact] = []
            func flush() throws(JournalFailure) {
                try write(Line.snapshot(space: space, version: head.snapshot, oldest: head.oldest, facts: facts).text)
                facts = []
            }
            try reader.eachFact(of: space, id: head.id) { fact throws(JournalFailure) in
                // A variable stands in one line either as a whole or by entry.
                let isSwitch = facts.last.map { Exact($0.variable) == Exact(fact.variable) && $0.entry == nil } ?? false
                if isSwitch || facts.count == Upkeep.factsLimit { try flush() }
                facts.append(fact)
            }
            try flush()
        }
        var told: [Exact: Int] = [:]
        try reader.eachCommit(of: space, id: head.id, after: head.oldest) { commit throws(JournalFailure) in
            if let idempotency = commit.idempotency { told[Exact(idempotency.key)] = commit.version }
            try write(Line.commit(commit).text)
        }
        // Last, because they are newer than what a commit may say of the same key.
        try reader.eachAnswer(of: space, id: head.id) { row throws(JournalFailure) in
            if told[Exact(row.key)] != row.answer.version { try write(Line.answer(space: space, row).text) }
        }
        if head.hasWork { try write(Line.work(space: space).text) }
    }
}
