import Expressions
import Ground
import JSON
import Reactive
import StateModel

/// The rows of a group of an index, or a part of them, as one evaluation reads them.
final class GroupRange: RowRange {
    private struct RangeRows {
        let index: IndexRows
        let tree: TableIndex<String, DescribedRow>.Tree
        let group: [UInt8]
        /// Returns a row of the table, as the expression may see it.
        let row: (String) -> JSON?
        /// Returns a row of the table as it is.
        let whole: (String) -> DescribedRow?
    }

    private let rows: Confined<RangeRows>
    private let places: Range<Int>

    private init(_ rows: Confined<RangeRows>, _ places: Range<Int>) { (self.rows, self.places) = (rows, places) }

    /// The rows of a group in a tree; none without a group.
    convenience init(
        _ index: IndexRows, _ tree: TableIndex<String, DescribedRow>.Tree, of group: [UInt8]?,
        row: @escaping (String) -> JSON?, whole: @escaping (String) -> DescribedRow?
    ) {
        let places = group.map { TableIndex<String, DescribedRow>.range(of: $0, in: tree) } ?? 0..<0
        self.init(Confined(RangeRows(index: index, tree: tree, group: group ?? [], row: row, whole: whole)), places)
    }

    var count: Int { places.count }

    func key(at place: Int) -> String { rows.value.tree[places.lowerBound + place].key }

    func row(at place: Int) -> JSON { rows.value.row(key(at: place)) ?? .null }

    func row(_ key: String) -> JSON? {
        let rows = rows.value
        guard let whole = rows.whole(key), let place = rows.index.rows.place(key, whole),
            let found = TableIndex<String, DescribedRow>.index(of: IndexEntry(place, key), in: rows.tree),
            places.contains(found)
        else { return nil }
        return rows.row(key)
    }

    func limited(to count: Int) -> any RowRange { GroupRange(rows, places.prefix(count)) }

    func from(_ bound: JSON) -> any RowRange {
        let first = place(of: bound)
        return GroupRange(rows, min(max(first, places.lowerBound), places.upperBound)..<places.upperBound)
    }

    func until(_ bound: JSON) -> any RowRange {
        let end = place(of: bound)
        return GroupRange(rows, places.lowerBound..<max(min(end, places.upperBound), places.lowerBound))
    }

    /// The place of the first row that does not come before a value of the order.
    private func place(of bound: JSON) -> Int {
        let rows = rows.value
        let bytes = rows.index.index.bound(bound, after: rows.group)
        return rows.tree.partition { $0.place.bytes.lexicographicallyPrecedes(bytes) }
    }
}

/// The rows of an index that is not there.
struct NoRows: RowRange {
    var count: Int { 0 }
    func key(at place: Int) -> String { "" }
    func row(_ key: String) -> JSON? { nil }
    func row(at place: Int) -> JSON { .null }
    func limited(to count: Int) -> any RowRange { self }
    func from(_ bound: JSON) -> any RowRange { self }
    func until(_ bound: JSON) -> any RowRange { self }
}
