/// Where commits are kept. Every call may block, and is made on a thread where that harms nobody; calls may come from two threads at once, one
/// that appends and one that reads.
public protocol Journal: AnyObject, Sendable {
    /// Keeps commits, in their order: each that is one version beyond its space, as durably as configured, before it returns. If it throws a
    /// failure of the kind `outcomeUnknown`, all of them or none are kept, and only the next start of the process tells; until then the journal reads
    /// as if there were none. If it throws any other failure, none of them is kept. After one of a space that was not kept, none of the same space is in this call, though its version might
    /// fit: it was built on the one that is not there. A record without facts makes no version: it is
    /// kept for its key, where the space exists and is at its version.
    func append(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult]

    /// Keeps one commit: the same as `append` of it alone.
    func append(one commit: CommitRecord) throws(JournalFailure) -> AppendResult

    /// What a space is made of; nil where nothing was ever kept of it.
    func load(_ space: SpaceName) throws(JournalFailure) -> StoredSpace?

    /// The commits of a space after a version, oldest first, at most `limit` of them.
    func read(_ space: SpaceName, after version: Int, limit: Int) throws(JournalFailure) -> CommitHistory

    /// The answer that was given to an action that was sent with `key` at or after `earliest`.
    func answer(_ space: SpaceName, key: String, since earliest: Timestamp) throws(JournalFailure) -> StoredAnswer?

    /// The spaces after one, in the order of their names, at most `limit` of them.
    func spaces(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [(name: SpaceName, version: Int)]

    /// The spaces after one whose last commit left work for their effects, in the order of their names, at most `limit` of them. It takes no longer
    /// for all the spaces that have none.
    func spacesWithWork(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [SpaceName]

    /// Forgets a space, and all that it ever was; whether there was one.
    func forget(_ space: SpaceName) throws(JournalFailure) -> Bool

    /// Has `receive` called with every batch of commits that is kept from now on, whoever appended it, in their order, on any thread.
    func follow(_ receive: @escaping @Sendable ([CommitRecord]) -> Void) -> JournalSubscription

    /// Tries whether something can be kept just now, without keeping anything.
    func probe() throws(JournalFailure)

    /// Which versions may still be meant: a version that was lost, or forgotten with its space, is never mistaken for the one that has its number now.
    var lives: LifeTable { get }

    /// The life of now, which `lives` has too. It is wanted for each answer, so a journal that can tells it without waiting for others.
    var life: Life { get }

    /// The key of the digests that clients see: made once, and kept as long as the journal.
    var digestKey: DigestKey { get }

    /// Makes durable what can be, and ends. Returns the failure if something that was appended may not be durable.
    @discardableResult
    func close() -> JournalFailure?
}

extension Journal {
    /// The life of now.
    public var life: Life { lives.now }

    /// Keeps one commit: the same as `append` of it alone.
    public func append(one commit: CommitRecord) throws(JournalFailure) -> AppendResult {
        try append([commit])[0]
    }
}

/// What became of one commit that was to be kept.
public enum AppendResult: Hashable, Sendable {
    /// It is kept.
    case kept
    /// It is not, because the space is at another version than the one before it.
    case moved(to: Int)
}

/// A space as it is kept: its version, and all facts that are true of it, of each variable first that of the whole. An entry that went is not among
/// them unless the whole has it; then it is, without a value.
public struct StoredSpace: Hashable, Sendable {
    /// The version.
    public let version: Int
    /// What is true.
    public let facts: [Fact]

    /// A space at a version.
    public init(version: Int, facts: [Fact]) {
        self.version = version
        self.facts = facts
    }
}

/// Commits that have been.
public enum CommitHistory: Hashable, Sendable {
    /// The commits that were asked for.
    case commits([CommitRecord])
    /// They are not kept any more; those after `oldest` are.
    case gone(oldest: Int)
}

/// Being told of what is kept. It ends when it is released.
public final class JournalSubscription: Sendable {
    private let end: @Sendable () -> Void

    /// Something that is ended by `end`.
    public init(end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit {
        end()
    }
}

/// Why something could not be kept or read, in words that a person can act on.
public struct JournalFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Kind: Hashable, Sendable {
        /// Nothing can be written just now: the disk is full or does not answer. It may pass.
        case cannotWrite
        /// The write was made, and the disk did not say that it holds it: after a crash it may be there or not.
        case outcomeUnknown
        /// What is kept cannot be read.
        case damaged
        /// What is kept was written by a newer program.
        case newer
        /// Somebody else has it.
        case locked
        /// There is no such place, or it may not be used.
        case unusable
    }

    /// What kind of failure it is.
    public let kind: Kind
    /// What happened, and what to do.
    public let description: String

    /// A failure.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
