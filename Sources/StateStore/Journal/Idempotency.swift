/// The idempotency key of a call, and a digest of the call.
public struct Idempotency: Hashable, Sendable {
    /// The time for which a key is stored.
    public static let memory = Duration.seconds(24 * 60 * 60)

    /// The key that the client chose.
    public let key: String
    /// The digest of action and input. A call with the same key and another digest is refused.
    public let fingerprint: UInt64

    /// Creates a key with the digest of its first call.
    public init(key: String, fingerprint: UInt64) {
        self.key = key
        self.fingerprint = fingerprint
    }
}

/// The stored answer to a call with an idempotency key.
public struct StoredAnswer: Hashable, Sendable {
    /// The digest of the call that used the key.
    public let fingerprint: UInt64
    /// The version in the answer.
    public let version: Int
    /// The changed variables in the answer.
    public let changed: [String]
    /// The value that the action answered, as JSON; empty for none.
    public let result: [UInt8]

    /// An answer.
    public init(fingerprint: UInt64, version: Int, changed: [String], result: [UInt8] = []) {
        self.fingerprint = fingerprint
        self.version = version
        self.changed = changed
        self.result = result
    }
}
