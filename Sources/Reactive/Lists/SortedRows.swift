/// The rows of a table in an order of their values; rows that the order leaves open stand in the order of their keys.
public final class SortedRows<Key: Hashable & Comparable, Row: Equatable>: OrderedRows<Key, Row> {
    @usableFromInline let isBefore: (RowList<Key, Row>.Entry, RowList<Key, Row>.Entry) throws -> Bool

    @inlinable
    init(_ source: Rows<Key, Row>, by order: RowOrder<Row>) {
        let compare = order.compare
        let isBefore = { (one: RowList<Key, Row>.Entry, other: RowList<Key, Row>.Entry) throws -> Bool in
            let order = try compare(one.row, other.row)
            return order == 0 ? one.key < other.key : order < 0
        }
        self.isBefore = isBefore
        super.init(madeBy: "sorted", from: source) {
            { draft, changes in
                // So many changes cost less as a new list than one by one, also for those who read the edits. A slice is
                // followed by others.
                let isSlice = unsafe source.graph?.takesSlice == true
                let isMost = changes.entries.count > 64 && changes.entries.count * 4 > draft.tree.count
                if draft.version == nil || isMost && !isSlice {
                    return draft.replaceAll(with: try Self.entries(of: draft, after: changes).sorted(by: isBefore))
                }
                for change in changes.entries {
                    let old = change.old.map { RowList<Key, Row>.Entry(key: change.key, row: $0) }
                    let new = change.new.map { RowList<Key, Row>.Entry(key: change.key, row: $0) }
                    let place = try old.flatMap { try Self.find($0, in: draft.tree, isBefore) }
                    guard let new else {
                        if let place { draft.remove(at: place) }
                        continue
                    }
                    guard let old, let place else {
                        draft.insert(new, at: try draft.tree.partition { try isBefore($0, new) })
                        continue
                    }
                    if try compare(old.row, new.row) == 0 {
                        draft.replace(at: place, with: new)
                    } else {
                        try draft.move(new, from: place, isChanged: true) { tree in
                            try tree.partition { try isBefore($0, new) }
                        }
                    }
                }
            }
        }
    }

    package override func cut() -> ListCut<Key, Row>? { ownCut }

    /// The entries of a list with the changes of a turn, in no order. The source may have rows that are still to come.
    @inlinable
    static func entries(
        of draft: ListDraft<Key, Row>, after changes: Changes<Key, Row>
    ) -> [RowList<Key, Row>.Entry] {
        let changed = draft.tree.count == 0 ? [] : Set(changes.entries.map(\.key))
        var entries = draft.tree.elements(in: 0..<draft.tree.count).filter { !changed.contains($0.key) }
        for change in changes.entries {
            if let row = change.new { entries.append(.init(key: change.key, row: row)) }
        }
        return entries
    }

    /// The place of an entry, in O(log n). An order that contradicts itself, as numbers with NaN do, may have hidden the entry from the search:
    /// then all are looked at.
    @inlinable
    static func find(
        _ entry: RowList<Key, Row>.Entry, in tree: RowList<Key, Row>.Tree,
        _ isBefore: (RowList<Key, Row>.Entry, RowList<Key, Row>.Entry) throws -> Bool
    ) throws -> Int? {
        let found = try tree.search { try isBefore($0, entry) }
        if found.element?.key == entry.key { return found.index }
        return tree.elements(in: 0..<tree.count).firstIndex { $0.key == entry.key }
    }

    /// At most `limit` rows of those after an entry, which need not be there any more, or from the first on. Delivers when one of them changed.
    @inlinable
    package func window(after entry: RowList<Key, Row>.Entry?, limit: Int) -> OrderedRows<Key, Row> {
        guard let entry else { return self.limit(limit) }
        return window(limit: limit) { [isBefore] list in try list.partition { try !isBefore(entry, $0) } }
    }
}

extension Rows where Key: Comparable {
    /// The rows in an order, maintained by row. Rows that the order leaves open stand in the order of their keys.
    @inlinable
    public func sorted(by order: RowOrder<Row>) -> SortedRows<Key, Row> {
        SortedRows(self, by: order)
    }

    /// The rows by a value of theirs, from the lowest to the highest.
    @inlinable
    public func sorted<Value: Comparable>(by value: @escaping (Row) throws -> Value) -> SortedRows<Key, Row> {
        SortedRows(self, by: .ascending(value))
    }

    /// The rows in the order in which `areInIncreasingOrder` is true of a row and each after it.
    @inlinable
    public func sorted(by areInIncreasingOrder: @escaping (Row, Row) throws -> Bool) -> SortedRows<Key, Row> {
        SortedRows(self, by: RowOrder(by: areInIncreasingOrder))
    }

    /// The rows in the order of their keys.
    @inlinable
    public func sorted() -> SortedRows<Key, Row> {
        SortedRows(self, by: RowOrder { _, _ in 0 })
    }
}
