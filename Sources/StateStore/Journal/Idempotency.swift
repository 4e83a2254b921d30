/// The idempotency key of a call, and a digest of the call.
public struct Idempotency: Hashable, Sendable {
    /// The time for which a key is stored.
    public static let memory = Duration.seconds(24 * 60 * 60)

    /// The key that the sender chose.
    public let key: String
    /// A digest of action and input: the same key for something else is refused.
    public let fingerprint: UInt64

    /// A key and what it was first used for.
    public init(key: String, fingerprint: UInt64) {
        self.key = key
        self.fingerprint = fingerprint
    }
}

/// The answer to an action that was sent with a key.
public struct StoredAnswer: Hashable, Sendable {
    /// The digest of the call that used the key.
    public let fingerprint: UInt64
    /// The version that the answer tells.
    public let version: Int
    /// The variables that the action changed, as the answer tells them.
    public let changed: [String]

    /// An answer.
    public init(fingerprint: UInt64, version: Int, changed: [String]) {
        self.fingerprint = fingerprint
        self.version = version
        self.changed = changed
    }
}
