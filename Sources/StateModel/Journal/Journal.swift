/// The storage of commits. Every call may block. Threads may call concurrently: one appends; others read the present
/// and the past.
package protocol Journal: AnyObject, Sendable {
    /// Appends commits in their order, as durably as configured, before it returns. A commit is stored if its version
    /// is that of its space plus 1. With a commit that erases rows (`CommitRecord.erasedRows`), the journal erases them
    /// from the state, the commits and the answers of the space, all or nothing.
    ///
    /// If a commit is not stored, no later commit of the same space in this call is, because it builds on the missing
    /// one. A record without facts makes no version. Its key is stored if the space exists and is at the version of the
    /// record. If this throws `outcomeUnknown`, all commits or none are stored, and the next start of the process
    /// determines which. Until then, reads do not return them. After any other failure, none is stored.
    func append(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult]

    /// Appends one commit: the same as `append` of it alone.
    func append(one commit: CommitRecord) throws(JournalFailure) -> AppendResult

    /// True if an append usually does not wait for the disk: then the store tries `appendAtOnce`.
    var appendsAtOnce: Bool { get }

    /// Appends commits like `append`. Stores nothing and returns nil if it would have to wait for the disk, another
    /// thread or another process.
    func appendAtOnce(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult]?

    /// Loads the content of a space; nil if the journal does not hold the space.
    func load(_ space: SpaceName) throws(JournalFailure) -> StoredSpace?

    /// Loads several spaces. The result of each is that of `load`. A space whose facts would take more bytes in memory
    /// than one space may have fails with `tooLarge`, before they do. After much data the rest fails with `notYet`.
    func load(all spaces: [SpaceName]) -> [Result<StoredSpace?, JournalFailure>]

    /// Returns up to `limit` commits of a space after `version`, oldest first.
    func read(_ space: SpaceName, after version: Int, limit: Int) throws(JournalFailure) -> CommitHistory

    /// Returns the answer to a call with `key` at or after `earliest`, if there was one.
    func answer(_ space: SpaceName, key: String, since earliest: Timestamp) throws(JournalFailure) -> StoredAnswer?

    /// Returns the spaces after `name` in the order of their names, at most `limit` of them.
    func spaces(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [(name: SpaceName, version: Int)]

    /// Returns the names of the spaces after `name` that have no alarm up to `time`, in their order, at most `limit`.
    func spaces(after name: SpaceName?, limit: Int, alarmedAfter time: Timestamp) throws(JournalFailure) -> [SpaceName]

    /// Returns the summary of a space; nil if the journal does not hold the space. The time does not depend on the
    /// number of other spaces.
    func summary(of space: SpaceName) throws(JournalFailure) -> SpaceSummary?

    /// Returns the spaces after `name` whose last commit left work for effects, in the order of their names, at most
    /// `limit` of them. The time does not depend on the number of other spaces.
    func spacesWithWork(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [SpaceName]

    /// Loads the content of a space as of a version. The cost does not depend on the number of commits since.
    func load(_ space: SpaceName, at version: Int) throws(JournalFailure) -> PastState

    /// Returns the last version of a space that was made at or before `time`, 0 before the first; nil if the journal no
    /// longer knows.
    func version(of space: SpaceName, at time: Timestamp) throws(JournalFailure) -> Int?

    /// Returns up to `limit` stored commits of a space after `version`, oldest first, without their facts. If older
    /// commits are no longer stored, the first head is not that of `version + 1`.
    func heads(of space: SpaceName, after version: Int, limit: Int) throws(JournalFailure) -> [CommitHead]

    /// Returns the last commit up to `version` that changed a variable, or with `entry` that changed this entry or
    /// replaced the whole variable; nil if no stored commit did.
    func lastChange(
        of variable: String, entry: String?, in space: SpaceName, upTo version: Int
    ) throws(JournalFailure) -> CommitHead?

    /// Returns the spaces whose earliest alarm is at `time` or before, in the order of the alarms, at most `limit` of
    /// them. The time does not depend on the number of other spaces.
    func alarms(upTo time: Timestamp, limit: Int) throws(JournalFailure) -> [SpaceAlarm]

    /// Returns up to `limit` commits and deletions of all spaces after a cursor, in order of keeping. Without a cursor,
    /// begins with the oldest stored commit. Fewer rows than `limit` do not mean that there are no more.
    func readAll(after cursor: JournalCursor?, limit: Int) throws(JournalFailure) -> AllCommits

    /// The number of appends that have erased rows since the start of the process. A state of the past that was read
    /// before may have an erased row.
    var erasureCount: Int { get }

    /// Deletes a space and its history. Returns false if it did not exist.
    func forget(_ space: SpaceName) throws(JournalFailure) -> Bool

    /// Calls `receive` with every batch of commits that is stored from now on, by any process, in their order, on any
    /// thread.
    func follow(_ receive: @escaping @Sendable ([CommitRecord]) -> Void) -> JournalSubscription

    /// Calls `receive` with everything that is stored from now on and that was not submitted through this process, in
    /// its order, on any thread.
    func followOthers(_ receive: @escaping @Sendable (JournalNews) -> Void) -> JournalSubscription

    /// Calls `receive` whenever a commit or a deletion of any space has been stored, on any thread.
    func followAll(_ receive: @escaping @Sendable () -> Void) -> JournalSubscription

    /// Checks that the journal can store something now, without storing anything.
    func probe() throws(JournalFailure)

    /// The valid lives. They distinguish a lost or deleted version from a later version with the same number.
    var lives: LifeTable { get }

    /// The current life, equal to `lives.now`. Every answer reads it, so a journal should return it without a lock.
    var life: Life { get }

    /// The life of new tags of a space.
    func life(of space: SpaceName) -> Life

    /// The key of the digests that clients see. It is created once and stored with the journal.
    var digestKey: DigestKey { get }

    /// Makes all appended commits durable and closes the journal. Returns the failure if a commit may not be durable.
    @discardableResult
    func close() -> JournalFailure?
}

extension Journal {
    /// The current life.
    package var life: Life { lives.now }

    /// The current life, which all spaces share.
    package func life(of space: SpaceName) -> Life { life }

    /// Calls `receive` with all commits: a store ignores those that it has made.
    package func followOthers(_ receive: @escaping @Sendable (JournalNews) -> Void) -> JournalSubscription {
        follow { receive(.commits($0)) }
    }

    /// Appends one commit: the same as `append` of it alone.
    package func append(one commit: CommitRecord) throws(JournalFailure) -> AppendResult {
        try append([commit])[0]
    }

    /// False: an append may wait for the disk.
    package var appendsAtOnce: Bool { false }

    /// Returns nil: an append may wait for the disk.
    package func appendAtOnce(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult]? { nil }

    /// Returns the names of all spaces: to look at one with an alarm does no harm.
    package func spaces(
        after name: SpaceName?, limit: Int, alarmedAfter time: Timestamp
    ) throws(JournalFailure) -> [SpaceName] {
        try spaces(after: name, limit: limit).map(\.name)
    }

    /// Loads the space and counts its values, without the time of its last commit.
    package func summary(of space: SpaceName) throws(JournalFailure) -> SpaceSummary? {
        guard let stored = try load(space) else { return nil }
        var count = SpaceSummary.Count()
        for fact in stored.facts {
            let bytes = fact.variable.utf8.count + (fact.entry?.utf8.count ?? 0) + (fact.value?.count ?? 0)
            guard count.add(bytes) else { break }
        }
        return SpaceSummary(version: stored.version, at: nil, bytes: count.bytes, isWhole: !count.isFull)
    }

    /// Loads the spaces one after the other.
    package func load(all spaces: [SpaceName]) -> [Result<StoredSpace?, JournalFailure>] {
        spaces.map { space in
            do throws(JournalFailure) {
                return .success(try load(space))
            } catch {
                return .failure(error)
            }
        }
    }
}

/// The result of appending one commit.
package enum AppendResult: Hashable, Sendable {
    /// The commit is stored.
    case kept
    /// The commit is not stored, because the space is not at the version before it.
    case moved(to: Int)
}

/// The stored content of a space: its version and its facts. The fact of a whole variable precedes those of its
/// entries. A removed entry has a fact without a value if the whole contains the entry, otherwise none.
package struct StoredSpace: Hashable, Sendable {
    /// The version.
    package let version: Int
    /// The facts.
    package let facts: [Fact]

    /// A space at a version.
    package init(version: Int, facts: [Fact]) {
        self.version = version
        self.facts = facts
    }
}

/// The result of reading the commits of a space.
package enum CommitHistory: Hashable, Sendable {
    /// The requested commits.
    case commits([CommitRecord])
    /// Some requested commits are no longer stored; the commits after `oldest` are.
    case gone(oldest: Int)
}

/// A change of a journal by another process.
package enum JournalNews: Sendable {
    /// Stored commits, in their order.
    case commits([CommitRecord])
    /// A space was deleted.
    case forgotten(SpaceName)
}

/// A subscription to stored commits. It ends when it is released.
package final class JournalSubscription: Sendable {
    private let end: @Sendable () -> Void

    /// A subscription that calls `end` when it is released.
    package init(end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit {
        end()
    }
}

/// The reason that the journal could not store or read data, written for the operator.
package struct JournalFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package enum Kind: Hashable, Sendable {
        /// The journal cannot write at present: the disk is full or fails. A retry may succeed.
        case cannotWrite
        /// The data was written, but the disk did not confirm the sync. After a crash the data may be missing.
        case outcomeUnknown
        /// Stored data cannot be read.
        case damaged
        /// A newer program wrote the data.
        case newer
        /// Another process holds the lock.
        case locked
        /// Another node of the cluster owns the space. Nothing was stored.
        case elsewhere
        /// Another node of the cluster runs an older program, which cannot read the commit. Nothing was stored.
        case awaitsUpgrade
        /// The space has more stored state than it may have in memory.
        case tooLarge
        /// The spaces in use have all of the memory for spaces.
        case noRoom
        /// Other spaces of the same request were large. The space is to be asked for again.
        case notYet
        /// The directory does not exist or is not accessible.
        case unusable
    }

    /// The kind of failure.
    package let kind: Kind
    /// The failure, and what to do.
    package let description: String

    /// A failure.
    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
