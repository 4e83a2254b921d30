/// A request of a node for the rows in memory only of a space, which another node owns.
package struct RowsRequest: Hashable, Sendable {
    /// The place of a row in the order of pages.
    package struct Place: Hashable, Sendable, Comparable {
        /// The table, as facts name it.
        package let variable: String
        /// The key of the row.
        package let entry: String

        /// The place of a row.
        package init(_ variable: String, _ entry: String) {
            self.variable = variable
            self.entry = entry
        }

        /// Orders by table, then by key.
        package static func < (one: Place, other: Place) -> Bool {
            (one.variable, one.entry) < (other.variable, other.entry)
        }
    }

    /// The space.
    package let space: SpaceName
    /// The number of the rows that the node has, or of the pages that it has begun to read; nil for none.
    package let known: RowsNumber?
    /// The last row of the pages that the node has; nil before the first page.
    package let after: Place?
    /// The process to tell of the next change; nil for none.
    package let follower: String?

    /// A request.
    package init(_ space: SpaceName, known: RowsNumber?, after: Place? = nil, follower: String?) {
        self.space = space
        self.known = known
        self.after = after
        self.follower = follower
    }
}
