extension Rows {
    /// Folds all rows to one value and updates it from each change. `remove` reverts the effect of `add` for a row.
    @inlinable
    public func fold<Total>(
        _ initial: Total, add: @escaping (Total, Row) throws -> Total, remove: @escaping (Total, Row) throws -> Total
    ) -> Observable<Total> {
        lift(keeping: initial) { total, changes, output in
            for entry in changes.entries {
                if let old = entry.old { total = try remove(total, old) }
                if let new = entry.new { total = try add(total, new) }
            }
            output.emit(total)
        }
    }

    /// Delivers the number of rows.
    @inlinable
    public func rowCount() -> Observable<Int> {
        fold(0, add: { count, _ in count + 1 }, remove: { count, _ in count - 1 }).removeDuplicates()
    }
}
