/// The storage of commits. Every call may block. Two threads may call at the same time: one that appends and one that
/// reads.
public protocol Journal: AnyObject, Sendable {
    /// Appends commits in their order, as durably as configured, before it returns. A commit is stored if its version
    /// is one beyond that of its space.
    ///
    /// After a commit that is not stored, no other commit of the same space in this call is, even if its version fits:
    /// it was built on the missing one. A record without facts makes no version: it stores its key, if the space exists
    /// and is at the version of the record. If this throws a failure of the kind `outcomeUnknown`, all commits or none
    /// are stored, and only the next start of the process tells; until then the journal reads as if there were none. If
    /// it throws any other failure, none is stored.
    func append(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult]

    /// Appends one commit: the same as `append` of it alone.
    func append(one commit: CommitRecord) throws(JournalFailure) -> AppendResult

    /// True if an append waits for nothing but the processor, most of the time: then `appendAtOnce` is worth a try.
    var appendsAtOnce: Bool { get }

    /// Appends commits like `append`, but returns nil, and has stored nothing, if that would wait for the disk, for
    /// another thread or for another process.
    func appendAtOnce(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult]?

    /// Loads the content of a space; nil if the journal has nothing of it.
    func load(_ space: SpaceName) throws(JournalFailure) -> StoredSpace?

    /// Loads several spaces. The result of each is that of `load`.
    func load(all spaces: [SpaceName]) -> [Result<StoredSpace?, JournalFailure>]

    /// The commits of a space after a version, oldest first, at most `limit` of them.
    func read(_ space: SpaceName, after version: Int, limit: Int) throws(JournalFailure) -> CommitHistory

    /// Returns the answer to an action that was called with `key` at or after `earliest`.
    func answer(_ space: SpaceName, key: String, since earliest: Timestamp) throws(JournalFailure) -> StoredAnswer?

    /// Returns the spaces after `name` in the order of their names, at most `limit` of them.
    func spaces(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [(name: SpaceName, version: Int)]

    /// Returns the spaces after `name` whose last commit left work for effects, in the order of their names, at most
    /// `limit` of them. The time does not depend on the number of other spaces.
    func spacesWithWork(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [SpaceName]

    /// Deletes a space and its history. Returns false if it did not exist.
    func forget(_ space: SpaceName) throws(JournalFailure) -> Bool

    /// Calls `receive` with every batch of commits that is stored from now on, by any process, in their order, on any
    /// thread.
    func follow(_ receive: @escaping @Sendable ([CommitRecord]) -> Void) -> JournalSubscription

    /// Checks that the journal can store something now, without storing anything.
    func probe() throws(JournalFailure)

    /// The versions that a client may still name. A version that was lost, or deleted with its space, is never taken
    /// for the one that has its number now.
    var lives: LifeTable { get }

    /// The life of now, which `lives` has too. It is wanted for each answer, so a journal that can tells it without
    /// waiting for others.
    var life: Life { get }

    /// The key of the digests that clients see: made once, and kept as long as the journal.
    var digestKey: DigestKey { get }

    /// Makes all appended commits durable and closes the journal. Returns the failure if a commit may not be durable.
    @discardableResult
    func close() -> JournalFailure?
}

extension Journal {
    /// The life of now.
    public var life: Life { lives.now }

    /// Appends one commit: the same as `append` of it alone.
    public func append(one commit: CommitRecord) throws(JournalFailure) -> AppendResult {
        try append([commit])[0]
    }

    /// False: an append may wait for the disk.
    public var appendsAtOnce: Bool { false }

    /// Returns nil: an append may wait for the disk.
    public func appendAtOnce(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult]? { nil }

    /// Loads the spaces one after the other.
    public func load(all spaces: [SpaceName]) -> [Result<StoredSpace?, JournalFailure>] {
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
public enum AppendResult: Hashable, Sendable {
    /// The commit is stored.
    case kept
    /// The commit is not stored, because the space is not at the version before it.
    case moved(to: Int)
}

/// A space as it is kept: its version, and all facts that are true of it, of each variable first that of the whole. An
/// entry that went is not among them unless the whole has it; then it is, without a value.
public struct StoredSpace: Hashable, Sendable {
    /// The version.
    public let version: Int
    /// The facts.
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

/// A subscription to stored commits. It ends when it is released.
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

/// The reason that the journal could not store or read something, for a person who can act on it.
public struct JournalFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Kind: Hashable, Sendable {
        /// Nothing can be written just now: the disk is full or does not answer. It may pass.
        case cannotWrite
        /// The write was made, and the disk did not say that it holds it: after a crash it may be there or not.
        case outcomeUnknown
        /// Stored data cannot be read.
        case damaged
        /// A newer program wrote the data.
        case newer
        /// Somebody else has it.
        case locked
        /// There is no such place, or it may not be used.
        case unusable
    }

    /// The kind of failure.
    public let kind: Kind
    /// The failure, and what to do.
    public let description: String

    /// A failure.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
