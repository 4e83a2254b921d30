/// The idempotency key of a call, and a digest of the call.
package struct Idempotency: Hashable, Sendable {
    /// The time for which a key is stored.
    package static let memory = Duration.seconds(24 * 60 * 60)

    /// The key that the client chose.
    package let key: String
    /// The digest of action and input. A call with the same key and another digest is refused.
    package let fingerprint: UInt64

    /// Creates a key with the digest of its first call.
    package init(key: String, fingerprint: UInt64) {
        self.key = key
        self.fingerprint = fingerprint
    }
}

/// The stored answer to a call with an idempotency key.
package struct StoredAnswer: Hashable, Sendable {
    /// The digest of the call that used the key.
    package let fingerprint: UInt64
    /// The version in the answer.
    package let version: Int
    /// The changed variables in the answer.
    package let changed: [String]
    /// The value that the action answered, as JSON; empty for none.
    package let result: [UInt8]

    /// An answer.
    package init(fingerprint: UInt64, version: Int, changed: [String], result: [UInt8] = []) {
        self.fingerprint = fingerprint
        self.version = version
        self.changed = changed
        self.result = result
    }
}
