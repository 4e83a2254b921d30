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

    /// A token with rights for some spaces.
    init(digest: [UInt8], subject: String = "", rights: Rights, patterns: [SpacePattern] = [.any]) {
        self.init(digest: digest, subject: subject, Permissions([.init(rights, in: patterns)]))
    }

    /// True if the token has the same rights in all spaces.
    var coversAll: Bool { permissions.coversAll }

    /// Returns true if the token may read the space.
    func covers(_ space: SpaceName) -> Bool { permissions.rights(in: space).contains(.read) }

    /// Returns true if the token has the right `admin` in the space.
    func administers(_ space: SpaceName) -> Bool { permissions.rights(in: space).contains(.admin) }

    /// Compares digests in constant time.
    func isDigest(_ other: [UInt8]) -> Bool { ConstantTime.areEqual(digest, other) }
}
