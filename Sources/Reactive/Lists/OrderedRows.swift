/// Rows in an order, maintained by row: a turn costs what has changed in it, times the logarithm of the number of rows.
///
/// As an observable it delivers a version of the list for each turn in which it changed, with the edits since the version before.
public class OrderedRows<Key: Hashable, Row: Equatable>: Observable<RowList<Key, Row>> {
    /// Makes the windows of a list that comes row by row from a sorted one; nil for another list.
    final var makeCut: (() -> ListCut<Key, Row>?)?

    /// A list in a draft. `update` is made at each start, and brings the draft up to date with each value of the source.
    @inlinable
    init<Input>(
        madeBy maker: StaticString = #function, from source: Observable<Input>,
        maintain update: @escaping () -> (inout ListDraft<Key, Row>, Input) throws -> Void
    ) {
        super.init(madeBy: maker) { output in
            let draft = Box(ListDraft<Key, Row>())
            let update = update()
            output.listen(
                to: source,
                receive: { value in
                    output.attempt {
                        // Unless a reader holds the version delivered last, the draft is now the only owner of its tree and changes it in place.
                        output.latest = nil
                        try update(&draft.value, value)
                        if let next = draft.value.advance() {
                            output.emit(next)
                        } else {
                            output.latest = draft.value.latest
                        }
                    }
                })
        }
    }

    package final override var isOfRows: Bool { true }

    /// The windows of the list; nil if it is neither sorted nor comes row by row from a sorted list.
    package func cut() -> ListCut<Key, Row>? { makeCut?() }

    /// The number of rows.
    @inlinable
    public final func rowCount() -> Observable<Int> {
        map { $0.count }.removeDuplicates()
    }
}
