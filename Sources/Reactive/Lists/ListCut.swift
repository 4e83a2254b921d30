/// The windows of a sorted list, or of a list that comes row by row from a sorted one.
package struct ListCut<Key: Hashable, Row: Equatable> {
    /// The place at which a window begins.
    package enum Start {
        /// Before the first row.
        case first
        /// After a row of the sorted list, which need not be there any more.
        case after(key: Key, row: Any)
        /// After the row of a key, which must be there.
        case afterKey(Key)
    }

    /// The type of the rows of the sorted list.
    package let rowType: Any.Type
    /// At most so many rows from a start. A turn costs what changed in it, times the logarithm of the number of rows, and
    /// a change of the window O(limit). To begin after a key costs O(rows).
    package let window: (Start, Int) -> Observable<[CutRow<Key, Row>]>
}

/// One row of a window.
package struct CutRow<Key: Hashable, Row: Equatable> {
    package let key: Key
    package let row: Row
    /// The row of the sorted list that it comes from.
    package let sorted: Any
}

/// The row after which a window begins went, and was too large for its place to be known without it.
package struct LostPlace: Error, CustomStringConvertible {
    package var description: String {
        "the row after which the window begins is gone, and was too large to remember its place: begin again without after"
    }
}

extension OrderedRows {
    /// Notes that a list comes row by row from this one.
    @usableFromInline
    final func passCut<New>(to list: OrderedRows<Key, New>, _ transform: @escaping (Key, Row) throws -> New) {
        list.makeCut = { self.cut()?.mapped(transform) }
    }
}

extension ListCut {
    /// The windows of a list whose rows are made of these one by one.
    fileprivate func mapped<New>(_ transform: @escaping (Key, Row) throws -> New) -> ListCut<Key, New> {
        ListCut<Key, New>(rowType: rowType) { start, limit in
            let own: Start =
                switch start {
                case .first: .first
                case .after(let key, let row): .after(key: key, row: row)
                case .afterKey(let key): .afterKey(key)
                }
            return window(own, limit).map { rows in
                try rows.map { CutRow(key: $0.key, row: try transform($0.key, $0.row), sorted: $0.sorted) }
            }
        }
    }
}

extension SortedRows {
    /// The windows of the list itself.
    var ownCut: ListCut<Key, Row> {
        ListCut(rowType: Row.self) { start, limit in
            let rows: OrderedRows<Key, Row>
            switch start {
            case .first: rows = self.limit(limit)
            case .after(let key, let row):
                rows = self.window(
                    after: (row as? Row).map { RowList<Key, Row>.Entry(key: key, row: $0) }, limit: limit)
            case .afterKey(let key):
                rows = self.window(limit: limit) { list in
                    guard let index = list.firstIndex(where: { $0.key == key }) else { throw LostPlace() }
                    return index + 1
                }
            }
            return rows.map { (list: RowList<Key, Row>) in
                list.map { CutRow(key: $0.key, row: $0.row, sorted: $0.row) }
            }
        }
    }
}
