package import StateStore

/// The reads that the copy answers.
extension ReplicatedJournal {
    package var erasureCount: Int { copied.erasureCount }

    package func load(_ space: SpaceName) throws(JournalFailure) -> StoredSpace? { try copied.load(space) }

    package func load(all spaces: [SpaceName]) -> [Result<StoredSpace?, JournalFailure>] { copied.load(all: spaces) }

    package func read(_ space: SpaceName, after version: Int, limit: Int) throws(JournalFailure) -> CommitHistory {
        try copied.read(space, after: version, limit: limit)
    }

    package func answer(
        _ space: SpaceName, key: String, since earliest: Timestamp
    ) throws(JournalFailure) -> StoredAnswer? {
        try copied.answer(space, key: key, since: earliest)
    }

    package func spaces(
        after name: SpaceName?, limit: Int
    ) throws(JournalFailure) -> [(name: SpaceName, version: Int)] {
        try copied.spaces(after: name, limit: limit)
    }

    package func spaces(
        after name: SpaceName?, limit: Int, alarmedAfter time: Timestamp
    ) throws(JournalFailure) -> [SpaceName] {
        try copied.spaces(after: name, limit: limit, alarmedAfter: time)
    }

    package func spacesWithWork(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [SpaceName] {
        try copied.spacesWithWork(after: name, limit: limit)
    }

    package func load(_ space: SpaceName, at version: Int) throws(JournalFailure) -> PastState {
        try copied.load(space, at: version)
    }

    package func version(of space: SpaceName, at time: Timestamp) throws(JournalFailure) -> Int? {
        try copied.version(of: space, at: time)
    }

    package func heads(
        of space: SpaceName, after version: Int, limit: Int
    ) throws(JournalFailure) -> [CommitHead] {
        try copied.heads(of: space, after: version, limit: limit)
    }

    package func lastChange(
        of variable: String, entry: String?, in space: SpaceName, upTo version: Int
    ) throws(JournalFailure) -> CommitHead? {
        try copied.lastChange(of: variable, entry: entry, in: space, upTo: version)
    }

    package func alarms(upTo time: Timestamp, limit: Int) throws(JournalFailure) -> [SpaceAlarm] {
        try copied.alarms(upTo: time, limit: limit)
    }
}
