package import StateStore

/// Reads of the past, of alarms and of all spaces.
extension SQLiteJournal {
    /// Loads the content of a space as of a version.
    package func load(_ space: SpaceName, at version: Int) throws(JournalFailure) -> PastState {
        try read(of: space) { reader throws(JournalFailure) in try reader.load(space, at: version, history: history) }
    }

    /// Returns the last version of a space that was made at or before `time`.
    package func version(of space: SpaceName, at time: Timestamp) throws(JournalFailure) -> Int? {
        try read(of: space) { reader throws(JournalFailure) in try reader.version(of: space, at: time, history: history)
        }
    }

    /// Returns the heads of commits of a space.
    package func heads(of space: SpaceName, after version: Int, limit: Int) throws(JournalFailure) -> [CommitHead] {
        try read(of: space) { reader throws(JournalFailure) in
            try reader.heads(of: space, after: version, limit: limit, history: history)
        }
    }

    /// Returns the last commit that changed a variable or an entry.
    package func lastChange(
        of variable: String, entry: String?, in space: SpaceName, upTo version: Int
    ) throws(JournalFailure) -> CommitHead? {
        try read(of: space) { reader throws(JournalFailure) in
            try reader.lastChange(of: variable, entry: entry, in: space, upTo: version, history: history)
        }
    }

    /// Returns the names of the spaces after `name` that have no alarm up to `time`.
    package func spaces(
        after name: SpaceName?, limit: Int, alarmedAfter time: Timestamp
    ) throws(JournalFailure) -> [SpaceName] {
        try read { reader throws(JournalFailure) in
            try reader.spaces(after: name, limit: limit, alarmedAfter: time)
        }
    }

    /// Returns the time of the commit that was appended last; nil if there is none.
    package func newestTime() throws(JournalFailure) -> Timestamp? {
        try read { reader throws(JournalFailure) in try reader.newestTime() }
    }

    /// Returns the spaces whose alarm is at `time` or before.
    package func alarms(upTo time: Timestamp, limit: Int) throws(JournalFailure) -> [SpaceAlarm] {
        try read { reader throws(JournalFailure) in try reader.alarms(upTo: time, limit: limit) }
    }

    /// Returns commits and deletions of all spaces after a cursor.
    package func readAll(after cursor: JournalCursor?, limit: Int) throws(JournalFailure) -> AllCommits {
        try read { reader throws(JournalFailure) in try reader.readAll(after: cursor, limit: limit, history: history) }
    }
}
