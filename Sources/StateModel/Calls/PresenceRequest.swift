package import JSON

/// The wish of a client for a row in a table with presence.
package struct PresenceRequest: Sendable {
    /// The name of the table, as `feature.table`.
    package let table: String
    /// The key of the row.
    package let key: String
    /// The row.
    package let row: JSON
    /// The client.
    package let caller: Caller
    /// True if the key is not the client's own: then the feature needs a rule for actions that allows it.
    package let needsRule: Bool
    /// True if an owner of the space has granted the wish before. The rule is not asked again, and a row that is there
    /// stays as it is.
    package var isRepeated = false
    /// The first adding of the row that was granted before; unknown for a new row.
    package var added = FirstAdding.unknown

    package init(_ key: String, in table: String, with row: JSON, _ caller: Caller, needsRule: Bool) {
        (self.table, self.key, self.row) = (table, key, row)
        (self.caller, self.needsRule) = (caller, needsRule)
    }
}
