/// The number of a state of the rows in memory only of a space.
///
/// The owner of the space counts the changes. It takes another epoch when it begins to own the space, and when it loses
/// count. Numbers of different epochs cannot be compared.
package struct RowsNumber: Hashable, Sendable {
    /// A random number; 0 for a space without rows that nobody follows.
    package let epoch: UInt64
    /// The number of changes in this epoch.
    package let number: Int

    /// A number.
    package init(epoch: UInt64, _ number: Int) {
        self.epoch = epoch
        self.number = number
    }

    /// The number of the rows of a space that has none and that nobody follows.
    package static let none = RowsNumber(epoch: 0, 0)
}
