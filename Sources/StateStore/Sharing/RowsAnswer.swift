/// The owner's answer to a request for the rows in memory only of a space.
package struct RowsAnswer: Hashable, Sendable {
    /// The number of the rows. With several pages, that of the first.
    package let number: RowsNumber
    /// The durable version of the space: no commit after it was there when the rows were read.
    package let version: Int
    /// True if `facts` are the first page of all rows; false if they are further rows, or the changes since the known
    /// number.
    package let isWhole: Bool
    /// The rows, or the changes.
    package let facts: [Fact]
    /// True if more pages follow.
    package let hasMore: Bool

    /// An answer.
    package init(_ number: RowsNumber, at version: Int, isWhole: Bool, _ facts: [Fact], hasMore: Bool = false) {
        self.number = number
        self.version = version
        self.isWhole = isWhole
        self.facts = facts
        self.hasMore = hasMore
    }
}
