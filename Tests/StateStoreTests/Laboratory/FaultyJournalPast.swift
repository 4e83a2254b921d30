import StateStore

/// Reads of the past never fail.
extension FaultyJournal {
    func load(_ space: SpaceName, at version: Int) throws(JournalFailure) -> PastState {
        try kept.load(space, at: version)
    }

    func version(of space: SpaceName, at time: Timestamp) throws(JournalFailure) -> Int? {
        try kept.version(of: space, at: time)
    }

    func heads(of space: SpaceName, after version: Int, limit: Int) throws(JournalFailure) -> [CommitHead] {
        try kept.heads(of: space, after: version, limit: limit)
    }

    func lastChange(
        of variable: String, entry: String?, in space: SpaceName, upTo version: Int
    ) throws(JournalFailure) -> CommitHead? {
        try kept.lastChange(of: variable, entry: entry, in: space, upTo: version)
    }

    func alarms(upTo time: Timestamp, limit: Int) throws(JournalFailure) -> [SpaceAlarm] {
        try kept.alarms(upTo: time, limit: limit)
    }

    func followAll(_ receive: @escaping @Sendable () -> Void) -> JournalSubscription { kept.followAll(receive) }

    func readAll(after cursor: JournalCursor?, limit: Int) throws(JournalFailure) -> AllCommits {
        try kept.readAll(after: cursor, limit: limit)
    }
}
