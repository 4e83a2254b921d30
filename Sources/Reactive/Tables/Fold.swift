extension Rows {
    /// What all rows amount to, brought up to date by what has changed: `remove` takes back what `add` did for a row.
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

    /// How many rows there are.
    @inlinable
    public func rowCount() -> Observable<Int> {
        fold(0, add: { count, _ in count + 1 }, remove: { count, _ in count - 1 }).removeDuplicates()
    }
}
