extension Rows {
    /// Delivers all rows, sorted. Each turn with a change costs O(n log n) in the number of rows, so use it for lists
    /// that are shown whole.
    @inlinable
    public func list(
        by isBefore: @escaping ((key: Key, row: Row), (key: Key, row: Row)) throws -> Bool
    ) -> Observable<[(key: Key, row: Row)]> {
        lift { (_: Changes<Key, Row>, output: Observable<[(key: Key, row: Row)]>) in
            output.emit(try self.rows.map { (key: $0.key, row: $0.value) }.sorted(by: isBefore))
        }
    }

    /// Delivers the row for one key.
    @inlinable
    public func row(_ key: Key) -> Observable<Row?> {
        lift(keeping: true) { isFirst, changes, output in
            let change = changes.entries.first { $0.key == key }
            if isFirst || change != nil { output.emit(change?.new) }
            isFirst = false
        }
    }
}
