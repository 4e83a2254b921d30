import StateStore

/// A token. The server knows only its digest.
struct Token: Sendable {
    /// The SHA-256 of the secret.
    let digest: [UInt8]
    /// The holder (`sub`), or "".
    let subject: String
    let permissions: Permissions

    init(digest: [UInt8], subject: String = "", _ permissions: Permissions) {
        self.digest = digest
        self.subject = subject
        self.permissions = permissions
    }

    /// A token with one right for some spaces.
    init(digest: [UInt8], subject: String = "", right: Right, patterns: [SpacePattern] = [.any]) {
        self.init(digest: digest, subject: subject, Permissions([.init(right: right, patterns: patterns)]))
    }

    /// True if the token covers all spaces with all its rights.
    var coversAll: Bool { permissions.coversAll }

    /// Returns true if the token covers the space.
    func covers(_ space: SpaceName) -> Bool { permissions.right(in: space) != nil }

    /// Returns true if the token has the right `admin` in the space.
    func administers(_ space: SpaceName) -> Bool { permissions.right(in: space) == .admin }

    /// True if the token has the right `admin` in all spaces.
    var administersAll: Bool { permissions.all.contains { $0.right == .admin && $0.patterns.contains(.any) } }

    /// Compares digests in constant time.
    func isDigest(_ other: [UInt8]) -> Bool { ConstantTime.areEqual(digest, other) }
}
