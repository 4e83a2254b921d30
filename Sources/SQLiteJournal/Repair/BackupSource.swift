internal import StateStore

/// A backup that a repair takes missing content from.
final class BackupSource {
    private let reader: JournalReader
    private let path: String

    init(_ directory: String) throws(JournalFailure) {
        reader = try JournalReader(try SQLiteJournal.inspect(directory))
        path = directory
    }

    /// The content of a space in the backup.
    struct BackupContent {
        let id: Int
        /// The version from which the commits go on, and its state.
        let oldest: Int
        var oldestState = RebuiltState()
        /// True if that state could be read.
        var hasOldestState = false
        var commits: [Int: CommitRecord] = [:]
        var newestState = RebuiltState()
        let newest: Int
        var answers: [AnswerRow] = []
        let alarm: Int?
        let hasWork: Bool
    }

    /// The names of its spaces.
    func names() throws(JournalFailure) -> [SpaceName] {
        var names: [SpaceName] = []
        try reader.eachSpace { name, _ throws(JournalFailure) in names.append(name) }
        return names
    }

    /// The name of the space with an ID; nil if there is none.
    func name(of id: Int) throws(JournalFailure) -> SpaceName? {
        var found: SpaceName?
        try reader.eachSpace { name, head throws(JournalFailure) in if head.id == id { found = name } }
        return found
    }

    /// Reads a space as far as it is readable; nil if the backup does not have it.
    func content(of space: SpaceName) throws(JournalFailure) -> BackupContent? {
        guard let head = try reader.head(of: space) else { return nil }
        var content = BackupContent(
            id: head.id, oldest: head.oldestState, newest: head.version, alarm: head.alarm, hasWork: head.hasWork)
        do throws(JournalFailure) {
            if head.oldestState > 0 {
                try reader.past.eachFact(of: space, id: head.id, at: head.oldestState) { row throws(JournalFailure) in
                    content.oldestState.set(Self.key(row), Self.value(row))
                }
            }
            content.hasOldestState = true
        } catch {
            // A backup can be damaged too: what is readable of it counts.
        }
        // From one damaged row to the next sound one.
        var start = head.oldest
        while start < head.version {
            do throws(JournalFailure) {
                try reader.eachCommit(of: space, id: head.id, after: start) { commit throws(JournalFailure) in
                    content.commits[commit.version] = commit
                    start = commit.version
                }
                break
            } catch {
                start += 1
            }
        }
        if let stored = try? reader.load(space)?.space {
            for fact in stored.facts {
                guard let value = fact.value else { continue }
                let key = SalvagedSpace.ValueKey(
                    variable: ByteString(fact.variable), entry: StateRow.entry(fact.entry))
                content.newestState.set(key, RebuiltState.Value(value: value, since: nil))
            }
        }
        try? reader.eachAnswer(of: space, id: head.id) { row throws(JournalFailure) in content.answers.append(row) }
        return content
    }

    private static func key(_ row: StateRow) -> SalvagedSpace.ValueKey {
        SalvagedSpace.ValueKey(variable: ByteString(row.fact.variable), entry: row.entry)
    }

    private static func value(_ row: StateRow) -> RebuiltState.Value {
        RebuiltState.Value(value: row.fact.value ?? FactsText.null, since: row.since)
    }
}
