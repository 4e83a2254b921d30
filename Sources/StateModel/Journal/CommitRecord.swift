/// A stored commit. It holds facts, so reading it runs no action. A class, because many owners share the immutable
/// record.
package final class CommitRecord: Hashable, Sendable {
    /// The space of the commit.
    package let space: SpaceName
    /// The version after the commit. A journal stores the commit only if the space is at `version - 1`.
    package let version: Int
    /// The time of the commit.
    package let at: Timestamp
    /// The action that made the commit, as `feature/name`.
    package let action: String
    /// The input of the action, as JSON; nil for none.
    package let input: [UInt8]?
    /// The changes in their order. The facts of one variable are adjacent: one for the whole value, or one for each
    /// entry.
    package let facts: Facts
    /// The idempotency key and the digest of the call; nil without a key.
    package var idempotency: Idempotency? { hasKey ? Idempotency(key: key, fingerprint: fingerprint) : nil }
    // Stored in parts, because copying or releasing an optional takes about 100 instructions, even if it is nil.
    /// True if the call had an idempotency key.
    package let hasKey: Bool
    private let key: String
    private let fingerprint: UInt64
    /// True if the space has work for its effects after this commit. A journal stores only the flag of the last commit
    /// of each space. A commit that is read back does not have it.
    package let leavesWork: Bool
    /// The version of `common` that the commit was made with. For a commit of `common`, its own version.
    package let common: Int
    /// The subject of the caller; empty for a caller without one and for the server's own commits.
    package let by: String
    /// The value that the action answered, as JSON; empty for none, and without an idempotency key. A journal stores it
    /// with the answer to the key. A commit that is read back does not have it.
    package let result: [UInt8]
    /// The places that were private when the commit was made, as pointers such as `/changed/board.cards/*/pin`, in which
    /// `*` stands for each key or element. Clients see null there.
    package let withheld: [String]
    /// The mark in `withheld` of a commit that readers without the right `admin` learn the head of, because a feature that
    /// had part in it had rules when it was made. It is the place of nothing.
    package static let hiddenMark = "/hidden"
    /// The mark in `withheld` of another commit whose memory such readers do not see, because a feature had rules.
    package static let hiddenMemoryMark = "/hidden/memory"
    // A number, because copying an optional takes about 100 instructions.
    private let alarmMicroseconds: Int64
    private static let noAlarm = Int64.max

    /// The earliest alarm of the space after this commit; nil if the space has none. A journal stores only the alarm of
    /// the last commit of each space. A commit that is read back does not have it.
    package var alarm: Timestamp? {
        alarmMicroseconds == Self.noAlarm ? nil : Timestamp(microseconds: alarmMicroseconds)
    }

    /// The commit without its input and facts.
    package var head: CommitHead {
        CommitHead(version: version, common: common, at: at, by: by, action: action)
    }

    /// A commit.
    package convenience init(
        space: SpaceName, version: Int, at: Timestamp, action: String, input: consuming [UInt8]?,
        facts: consuming Facts,
        idempotency: Idempotency? = nil, leavesWork: Bool = false, common: Int = 0, by: String = "",
        alarm: Timestamp? = nil, result: [UInt8] = [], withheld: [String] = []
    ) {
        self.init(
            space: space, version: version, at: at, action: action, input: input, facts: facts,
            key: idempotency?.key ?? "",
            fingerprint: idempotency?.fingerprint ?? 0, hasKey: idempotency != nil, leavesWork: leavesWork,
            common: common, by: by, alarm: alarm, result: result, withheld: withheld)
    }

    /// Creates a commit from stored properties.
    package init(
        space: SpaceName, version: Int, at: Timestamp, action: String, input: consuming [UInt8]?,
        facts: consuming Facts, key: String,
        fingerprint: UInt64, hasKey: Bool, leavesWork: Bool, common: Int, by: String, alarm: Timestamp? = nil,
        result: [UInt8] = [], withheld: [String] = []
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
        self.common = common
        self.by = by
        self.result = result
        self.withheld = withheld
        alarmMicroseconds = alarm?.microseconds ?? Self.noAlarm
    }

    /// A commit with a list of facts.
    package convenience init(
        space: SpaceName, version: Int, at: Timestamp, action: String, input: [UInt8]?, facts: [Fact],
        idempotency: Idempotency? = nil,
        leavesWork: Bool = false, common: Int = 0, by: String = "", alarm: Timestamp? = nil
    ) {
        self.init(
            space: space, version: version, at: at, action: action, input: input, facts: Facts(facts),
            idempotency: idempotency,
            leavesWork: leavesWork, common: common, by: by, alarm: alarm)
    }

    /// The changed variables, each once, in the order of their facts. Memory is not among them.
    package var changed: [String] { facts.variables }

    /// Compares all properties except `leavesWork`, `alarm` and `result`.
    package static func == (one: CommitRecord, other: CommitRecord) -> Bool {
        one.space == other.space && one.version == other.version && one.at == other.at && one.action == other.action
            && one.input == other.input && one.facts == other.facts && one.idempotency == other.idempotency
            && one.common == other.common && one.by == other.by && one.withheld == other.withheld
    }

    /// Hashes the space and the version, which identify the commit.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(space)
        hasher.combine(version)
    }
}
