internal import JSON
public import Reactive

/// The order of an index without one: that of the keys.
public struct OrderOfKeys: IndexValue {
    /// Appends nothing.
    public func append(to place: inout IndexedPlace) {}
}

/// An index of the rows of a table, as a property of a state beside the table: the rows in groups, and each group in an
/// order. A commit changes it in O(log n). It is in memory, made when it is first read.
///
///     let tasks = Table<String, Task>()
///     let byProject: RowIndex<String, Int, String, Task>
///
///     init() { byProject = RowIndex(of: tasks, by: \.project, sortedBy: \.order) }
///
/// An action reads the keys of a group as `commit[state.byProject, "home"]`; a view model has the rows as
/// `state.byProject.list(of: "home", limit: 20)`.
public final class RowIndex<Group: IndexValue, Order: IndexValue, Key: Hashable & Comparable, Row: Equatable> {
    let rows: TableIndex<Key, Row>
    let isUnique: Bool
    private let isFalling: Bool

    /// An index of the rows for which `counts` is true, in groups by a value, and in the order of another one, with ties
    /// by key. A unique index has at most one row in a group: a commit that leaves two is refused.
    public init(
        of table: ReadableTable<Key, Row>, by group: @escaping (Row) -> Group, sortedBy order: @escaping (Row) -> Order,
        isFalling: Bool = false, isUnique: Bool = false, where counts: @escaping (Row) -> Bool = { _ in true }
    ) {
        (self.isUnique, self.isFalling) = (isUnique, isFalling)
        rows = TableIndex(of: table, notesAdded: isUnique) { _, row in
            guard counts(row) else { return nil }
            var place = IndexedPlace()
            group(row).append(to: &place)
            let length = place.bytes.bytes.count
            let value = order(row)
            if isFalling { place.append(falling: value) } else { value.append(to: &place) }
            return IndexPlace(place.bytes.bytes, groupLength: length)
        }
    }

    /// An index of the rows for which `counts` is true, in groups by a value, each in the order of its keys.
    public convenience init(
        of table: ReadableTable<Key, Row>, by group: @escaping (Row) -> Group, isUnique: Bool = false,
        where counts: @escaping (Row) -> Bool = { _ in true }
    ) where Order == OrderOfKeys {
        self.init(of: table, by: group, sortedBy: { _ in OrderOfKeys() }, isUnique: isUnique, where: counts)
    }

    private static func bytes(of group: Group) -> [UInt8] {
        var place = IndexedPlace()
        group.append(to: &place)
        return place.bytes.bytes
    }

    /// The keys of a group as the open transaction sees them.
    func keys(of group: Group) -> IndexedKeys<Order, Key> {
        let bytes = Self.bytes(of: group)
        let tree = rows.entries
        return IndexedKeys(
            place: { [isFalling] in Self.place($0, bytes, in: tree, isFalling: isFalling) },
            key: { tree[$0].key }, places: TableIndex<Key, Row>.range(of: bytes, in: tree))
    }

    /// The place of the first entry of a group that does not come before a value of the order.
    private static func place(
        _ bound: Order, _ group: [UInt8], in tree: TableIndex<Key, Row>.Tree, isFalling: Bool
    ) -> Int {
        var place = IndexedPlace()
        if isFalling { place.append(falling: bound) } else { bound.append(to: &place) }
        let bytes = group + place.bytes.bytes
        return tree.partition { $0.place.bytes.lexicographicallyPrecedes(bytes) }
    }

    /// Returns true if a row is in one of some groups.
    func holds(_ key: Key, _ row: Row, in groups: [Group]) -> Bool {
        guard let place = rows.place(key, row)?.group else { return false }
        return groups.contains { Self.bytes(of: $0) == place }
    }

    /// The number of groups as the open transaction sees them.
    var groupsCount: Int { rows.groupCount }

    // MARK: Deriving

    /// The rows of a group. A turn costs the changed rows of the group.
    public func rows(of group: Group) -> Rows<Key, Row> { rows(ofAll: [group]) }

    /// The rows of several groups.
    public func rows(ofAll groups: [Group]) -> Rows<Key, Row> {
        var seen: Set<[UInt8]> = []
        var places: [[UInt8]] = []
        for group in groups {
            let bytes = Self.bytes(of: group)
            if seen.insert(bytes).inserted { places.append(bytes) }
        }
        return rows.rows(of: places)
    }

    /// The rows of a group in the order of the index, at most `limit`. A turn costs the changed rows of the group, times
    /// the logarithm of the number of rows.
    public func list(of group: Group, limit: Int = .max) -> OrderedRows<Key, Row> {
        rows.list(
            of: Self.bytes(of: group), limit: limit,
            form: .init(Row.self, form: { _, row in row }) { [rows] key, form in
                (form as? Row).flatMap { rows.place(key, $0) }
            })
    }

    /// The number of groups.
    public func groupCount() -> Observable<Int> { rows.groupCounts() }
}

/// The keys of one group of an index, in its order, as they were when they were asked for. Writes do not change them.
public struct IndexedKeys<Order: IndexValue, Key>: RandomAccessCollection {
    /// Returns the place of the first key that does not come before a value of the order.
    private let place: (Order) -> Int
    private let key: (Int) -> Key
    private let places: Range<Int>

    init(place: @escaping (Order) -> Int, key: @escaping (Int) -> Key, places: Range<Int>) {
        (self.place, self.key, self.places) = (place, key, places)
    }

    /// The first place.
    public var startIndex: Int { 0 }
    /// The place behind the last one.
    public var endIndex: Int { places.count }
    /// The key at a place, in O(log n).
    public subscript(position: Int) -> Key { key(places.lowerBound + position) }

    /// The keys at a value of the order or after it.
    public func from(_ bound: Order) -> IndexedKeys {
        let first = Swift.min(Swift.max(place(bound), places.lowerBound), places.upperBound)
        return IndexedKeys(place: place, key: key, places: first..<places.upperBound)
    }

    /// The keys before a value of the order.
    public func until(_ bound: Order) -> IndexedKeys {
        let end = Swift.max(Swift.min(place(bound), places.upperBound), places.lowerBound)
        return IndexedKeys(place: place, key: key, places: places.lowerBound..<end)
    }
}

extension Commit {
    /// The keys of a group of an index, as this commit sees them.
    public subscript<Group, Order, Key, Row>(
        index: RowIndex<Group, Order, Key, Row>, group: Group
    ) -> IndexedKeys<Order, Key> { index.keys(of: group) }

    /// Returns the number of groups of an index, as this commit sees them.
    public func groupCount<Group, Order, Key, Row>(of index: RowIndex<Group, Order, Key, Row>) -> Int {
        index.groupsCount
    }
}

/// An index among the properties of a state.
protocol StateIndexing: AnyObject {
    /// The estimated bytes of the index.
    var bytes: Int { get }
    /// The entries, which follow the table.
    var follower: any SlicedIndex { get }
    /// Returns a row that the open transaction has put into a group with another row, and the key of that; nil if there is
    /// none.
    func secondRow() -> (key: String, other: String)?
}

extension StateIndexing {
    /// Returns an object as an index of this type.
    static func cast(_ object: AnyObject) -> any StateIndexing { unsafeDowncast(object, to: Self.self) }
}

extension RowIndex: StateIndexing {
    var bytes: Int { rows.bytes }
    var follower: any SlicedIndex { rows }

    func secondRow() -> (key: String, other: String)? {
        guard isUnique else { return nil }
        return rows.secondEntry().map { ("\($0.key)", "\($0.other)") }
    }
}
