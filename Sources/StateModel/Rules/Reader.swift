/// A caller that reads, with its rights.
package struct Reader: Sendable {
    /// The caller, with its claims.
    package let caller: Caller
    /// Its rights in each space.
    package let permissions: Permissions

    /// A caller with rights.
    package init(_ caller: Caller, _ permissions: Permissions) {
        self.caller = caller
        self.permissions = permissions
    }

    /// The server itself: the tests of documents and of features. No rule binds it.
    package static let server = Reader(.server, Permissions([.init(.admin, in: [.any])]))

    /// Returns true if the caller has the right `admin` in a space.
    package func administers(_ space: SpaceName) -> Bool { permissions.rights(in: space).contains(.admin) }
}
