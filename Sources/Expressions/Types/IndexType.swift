/// The type of an index: its name, the values that a group takes, and its rows.
package struct IndexType: Hashable, Sendable {
    /// The name in formulas, as `index.byOwner`.
    package let name: String
    /// The types of the values that name a group.
    package let group: [ExpressionType]
    /// The type of a row.
    package let row: ExpressionType
    /// The type of the first value of the order; nil for an index that is not sorted.
    package let bound: ExpressionType?
    /// True if a group has at most one row.
    package let isUnique: Bool

    /// Creates a type.
    package init(
        _ name: String, group: [ExpressionType], row: ExpressionType, bound: ExpressionType?, isUnique: Bool
    ) {
        (self.name, self.group, self.row, self.bound, self.isUnique) = (name, group, row, bound, isUnique)
    }

    /// The rows of a group as a plain map.
    var map: ExpressionType { .map(key: .string, value: row) }

    /// The call that returns a group.
    var call: String { "\(name)(\(group.map(\.description).joined(separator: ", ")))" }

    var weight: Int { 3 + row.weight }
}
