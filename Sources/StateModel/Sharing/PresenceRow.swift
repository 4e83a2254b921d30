/// A row of a table with presence.
package struct PresenceRow: Hashable, Sendable {
    /// The table, as `feature.table`.
    package let table: String
    /// The key.
    package let key: String

    /// The row of a key.
    package init(table: String, key: String) {
        self.table = table
        self.key = key
    }
}
