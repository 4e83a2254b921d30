/// A structure that follows the rows of a table within each transaction, so that a transaction reads its own writes in it.
@usableFromInline
package class TableFollower<Key: Hashable, Row: Equatable> {
    @inlinable
    package init() {}

    /// Takes one write of the open transaction; nil stands for no row.
    @usableFromInline package func note(_ key: Key, old: Row?, new: Row?) {}
    /// Takes the removal of all rows in the open transaction.
    @usableFromInline package func noteClear() {}
    /// Keeps the changes of the transaction.
    @usableFromInline package func keep() {}
    /// Drops the changes of the transaction.
    @usableFromInline package func discard() {}
    /// Forgets the rows, which are others now.
    @usableFromInline package func forget() {}
    /// The estimated bytes that it holds.
    @usableFromInline package var bytes: Int { 0 }
    /// Detaches it from its table, which no longer updates it.
    package func detach() {}
}
