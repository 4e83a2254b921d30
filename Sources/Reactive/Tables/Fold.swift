/// The fold of rows to one value, which takes rows in slices.
@usableFromInline
final class RowFolding<Total>: Observable<Total> {
    @inlinable
    override init(madeBy maker: StaticString, start: @escaping (Observable<Total>) -> Void) {
        super.init(madeBy: maker, start: start)
    }

    @usableFromInline override var takesSlices: Bool { true }
}

extension Rows {
    /// Folds all rows to one value and updates it from each change. `remove` reverts the effect of `add` for a row.
    @inlinable
    public func fold<Total>(
        _ initial: Total, add: @escaping (Total, Row) throws -> Total, remove: @escaping (Total, Row) throws -> Total
    ) -> Observable<Total> {
        fold(into: initial) { total, entry in
            if let old = entry.old { total = try remove(total, old) }
            if let new = entry.new { total = try add(total, new) }
        }
    }

    /// Keeps a value up to date with each changed row.
    @inlinable
    package func fold<Total>(
        into initial: Total, madeBy maker: StaticString = "fold(_:add:remove:)",
        _ update: @escaping (inout Total, Changes<Key, Row>.Entry) throws -> Void
    ) -> Observable<Total> {
        RowFolding<Total>(madeBy: maker) { output in
            let total = Box(initial)
            output.listen(
                to: self,
                receive: { changes in
                    output.attempt {
                        for entry in changes.entries { try update(&total.value, entry) }
                        output.emit(total.value)
                    }
                })
        }
    }

    /// Delivers the number of rows.
    @inlinable
    public func rowCount() -> Observable<Int> {
        fold(0, add: { count, _ in count + 1 }, remove: { count, _ in count - 1 }).removeDuplicates()
    }
}
