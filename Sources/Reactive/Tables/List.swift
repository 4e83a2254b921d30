extension Rows {
    /// All rows in an order, which takes as long as there are rows for each turn in which one changed: for what is shown whole.
    @inlinable
    public func list(
        by isBefore: @escaping ((key: Key, row: Row), (key: Key, row: Row)) throws -> Bool
    ) -> Observable<[(key: Key, row: Row)]> {
        lift { (_: Changes<Key, Row>, output: Observable<[(key: Key, row: Row)]>) in
            output.emit(try self.rows.map { (key: $0.key, row: $0.value) }.sorted(by: isBefore))
        }
    }

    /// The row for one key.
    @inlinable
    public func row(_ key: Key) -> Observable<Row?> {
        lift(keeping: true) { isFirst, changes, output in
            let change = changes.entries.first { $0.key == key }
            if isFirst || change != nil { output.emit(change?.new) }
            isFirst = false
        }
    }
}
