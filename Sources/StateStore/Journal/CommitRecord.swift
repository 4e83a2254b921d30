/// A stored commit: facts, not code to run again. An object, because many owners share it and none changes it.
public final class CommitRecord: Hashable, Sendable {
    /// The space it belongs to.
    public let space: SpaceName
    /// The version that it makes; it is kept only if the space was at the one before.
    public let version: Int
    /// The time of the commit.
    public let at: Timestamp
    /// The action that made it, as `feature/name`.
    public let action: String
    /// The input of the action, as JSON; nil for none.
    public let input: [UInt8]?
    /// The changes in their order. The facts of one variable are adjacent: one for the whole, or one for each entry.
    public let facts: Facts
    /// The key under which it was sent.
    public var idempotency: Idempotency? { hasKey ? Idempotency(key: key, fingerprint: fingerprint) : nil }
    // Not as the optional that it is told as: to copy or to let go of one takes a hundred instructions, even where it
    // is nil.
    /// True if the call had an idempotency key.
    public let hasKey: Bool
    private let key: String
    private let fingerprint: UInt64
    /// True if the space has work for its effects after this commit. A journal stores this for the space, by its last
    /// commit, and does not return it with a commit that is read.
    public let leavesWork: Bool

    /// A commit.
    public convenience init(
        space: SpaceName, version: Int, at: Timestamp, action: String, input: consuming [UInt8]?,
        facts: consuming Facts,
        idempotency: Idempotency? = nil, leavesWork: Bool = false
    ) {
        self.init(
            space: space, version: version, at: at, action: action, input: input, facts: facts,
            key: idempotency?.key ?? "",
            fingerprint: idempotency?.fingerprint ?? 0, hasKey: idempotency != nil, leavesWork: leavesWork)
    }

    /// A commit with all that it says, the key apart.
    init(
        space: SpaceName, version: Int, at: Timestamp, action: String, input: consuming [UInt8]?,
        facts: consuming Facts, key: String,
        fingerprint: UInt64, hasKey: Bool, leavesWork: Bool
    ) {
        self.space = space
        self.version = version
        self.at = at
        self.action = action
        self.input = input
        self.facts = facts
        self.key = key
        self.fingerprint = fingerprint
        self.hasKey = hasKey
        self.leavesWork = leavesWork
    }

    /// A commit with a list of facts.
    public convenience init(
        space: SpaceName, version: Int, at: Timestamp, action: String, input: [UInt8]?, facts: [Fact],
        idempotency: Idempotency? = nil,
        leavesWork: Bool = false
    ) {
        self.init(
            space: space, version: version, at: at, action: action, input: input, facts: Facts(facts),
            idempotency: idempotency,
            leavesWork: leavesWork)
    }

    /// The variables that it changed, each once, in the order of changing.
    public var changed: [String] { facts.variables }

    /// Two records are equal where they say the same of what happened.
    public static func == (one: CommitRecord, other: CommitRecord) -> Bool {
        one.space == other.space && one.version == other.version && one.at == other.at && one.action == other.action
            && one.input == other.input && one.facts == other.facts && one.idempotency == other.idempotency
    }

    /// Adds what names it among all commits.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(space)
        hasher.combine(version)
    }
}
