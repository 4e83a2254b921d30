/// The place of a row in an index, as bytes: those of its group, then those of its order within the group.
///
/// The bytes of one group are never the beginning of those of another.
@usableFromInline
package struct IndexPlace: Equatable, Sendable {
    /// The bytes of the group and of the order.
    @usableFromInline package let bytes: [UInt8]
    /// The number of bytes of the group.
    @usableFromInline package let groupLength: Int

    @inlinable
    package init(_ bytes: [UInt8], groupLength: Int) {
        self.bytes = bytes
        self.groupLength = groupLength
    }

    /// The bytes of the group.
    @inlinable package var group: [UInt8] { Array(bytes[..<groupLength]) }
}

/// An entry of an index: the key of a row at its place.
@usableFromInline
package struct IndexEntry<Key: Hashable & Comparable> {
    @usableFromInline package let place: IndexPlace
    @usableFromInline package let key: Key

    @inlinable
    package init(_ place: IndexPlace, _ key: Key) {
        self.place = place
        self.key = key
    }

    /// Returns true if this entry comes before another: by place, then by key.
    @inlinable
    package func precedes(_ other: IndexEntry) -> Bool {
        let order = IndexBytes.compare(place.bytes, other.place.bytes)
        return order == 0 ? key < other.key : order < 0
    }

    /// Returns true if another entry is of the same group.
    @inlinable
    func sharesGroup(with other: IndexEntry) -> Bool {
        place.groupLength == other.place.groupLength
            && IndexBytes.begin(other.place.bytes, with: place.bytes, place.groupLength)
    }
}

/// Comparisons of bytes.
@usableFromInline
enum IndexBytes {
    /// Returns a number below 0 if the first bytes come before the second, above 0 if after them, 0 for equal ones.
    @inlinable
    static func compare(_ one: [UInt8], _ other: [UInt8]) -> Int {
        let count = min(one.count, other.count)
        var index = 0
        while index < count {
            if one[index] != other[index] { return Int(one[index]) - Int(other[index]) }
            index += 1
        }
        return one.count - other.count
    }

    /// Returns true if bytes begin with the first `length` bytes of others.
    @inlinable
    static func begin(_ bytes: [UInt8], with others: [UInt8], _ length: Int) -> Bool {
        guard bytes.count >= length, others.count >= length else { return false }
        var index = 0
        while index < length {
            if bytes[index] != others[index] { return false }
            index += 1
        }
        return true
    }
}

/// An index of the rows of a table: an entry for each row that counts, in groups, and in an order within each group.
///
/// It is one persistent tree of entries, ordered by place. A transaction writes a copy that shares all nodes but those on
/// its ways, so a draft costs O(log n) for each write and nothing to drop. The tree is made when it is first read.
@usableFromInline
package final class TableIndex<Key: Hashable & Comparable, Row: Equatable>: TableFollower<Key, Row> {
    @usableFromInline package typealias Tree = ListTree<Unmeasured<IndexEntry<Key>>>

    /// Returns the place of a row; nil if the row is not in the index.
    @usableFromInline package final let place: (Key, Row) -> IndexPlace?
    /// The table; nil after `detach`.
    @usableFromInline package internal(set) final weak var table: ReadableTable<Key, Row>?
    @usableFromInline package internal(set) final var isBuilt = false
    /// The entries of the rows before the open transaction, and the number of their groups.
    @usableFromInline final var kept = Tree()
    @usableFromInline final var keptGroups = 0
    /// The entries that the open transaction sees, and the number of their groups; nil if it has written none.
    @usableFromInline final var draft: Tree?
    @usableFromInline final var draftGroups = 0
    /// The entries that the open transaction has added since `takeAdded`, if `notesAdded`.
    @usableFromInline final var added: [IndexEntry<Key>] = []
    @usableFromInline final let notesAdded: Bool
    /// The distributor of changes, made for the first listener.
    @usableFromInline final var router: IndexRouter<Key, Row>?

    /// An index of a table. `notesAdded` is true if the entries that a transaction adds are asked for.
    @inlinable
    package init(
        of table: ReadableTable<Key, Row>, notesAdded: Bool = false, place: @escaping (Key, Row) -> IndexPlace?
    ) {
        self.table = table
        self.notesAdded = notesAdded
        self.place = place
    }

    /// The entries as the open transaction sees them, or as they are.
    @inlinable
    package var entries: Tree {
        buildIfNeeded()
        return draft ?? kept
    }

    /// The entries without those of the open transaction.
    @inlinable
    package var keptEntries: Tree {
        buildIfNeeded()
        return kept
    }

    /// The number of groups as the open transaction sees them.
    @inlinable
    package var groupCount: Int {
        buildIfNeeded()
        return draft == nil ? keptGroups : draftGroups
    }

    /// The estimated bytes of the tree.
    @usableFromInline
    package override var bytes: Int {
        guard kept.count > 0 else { return 0 }
        // An entry in a leaf that is three quarters full, its part of the leaf, and the bytes of its place.
        return kept.count * (72 + (kept[kept.count / 2].place.bytes.count + 47) / 16 * 16)
    }

    // MARK: Rows

    @usableFromInline package override var followed: ReadableTable<Key, Row>? { table }
    @usableFromInline package override var hasAllRows: Bool { isBuilt }
    @usableFromInline package override func noteComplete() { isBuilt = true }

    /// Makes the tree, in O(n log n), if there is none. From then on it follows the table.
    @inlinable
    package override func buildIfNeeded() {
        guard !isBuilt, let table else { return }
        isBuilt = true
        kept = tree(of: table.rows)
        keptGroups = Self.groups(of: kept)
        (draft, draftGroups, added) = (nil, 0, [])
        if !stopSlices() { table.followers.append(self) }
        guard table.isWritten else { return }
        if table.isCleared {
            noteClear()
            for (key, row) in table.written { note(key, old: nil, new: row) }
        } else {
            for key in table.order { note(key, old: table.rows[key], new: table.written[key] ?? nil) }
        }
    }

    @inlinable
    final func tree(of rows: [Key: Row]) -> Tree {
        var entries: [IndexEntry<Key>] = []
        entries.reserveCapacity(rows.count)
        for (key, row) in rows {
            if let place = place(key, row) { entries.append(IndexEntry(place, key)) }
        }
        entries.sort { $0.precedes($1) }
        return Tree(entries)
    }

    @inlinable
    static func groups(of tree: Tree) -> Int {
        var count = 0
        var last: IndexEntry<Key>?
        tree.forEachLeaf { entries, _ in
            for entry in entries {
                if last.map({ $0.sharesGroup(with: entry) }) != true { count += 1 }
                last = entry
            }
        }
        return count
    }

    /// Detaches the index from its table, which no longer updates it.
    package override func detach() {
        table?.followers.removeAll { $0 === self }
        forget()
        table = nil
    }

    @usableFromInline
    package override func take(_ rows: [(key: Key, row: Row)]) {
        var (tree, groups) = (kept, keptGroups)
        // As in `note`.
        kept = Tree()
        for (key, row) in rows {
            if let place = place(key, row) { insert(IndexEntry(place, key), into: &tree, &groups) }
        }
        (kept, keptGroups) = (tree, groups)
    }

    /// Adds an entry to a tree, and counts its group.
    @inlinable
    final func insert(_ entry: IndexEntry<Key>, into tree: inout Tree, _ groups: inout Int) {
        let index = tree.partition { $0.precedes(entry) }
        if !Self.isGroup(of: entry, beside: index, in: tree) { groups += 1 }
        tree.insert(entry, at: index)
    }

    @usableFromInline
    package override func forget() {
        (kept, keptGroups, draft, draftGroups, added) = (Tree(), 0, nil, 0, [])
        guard isBuilt || stopSlices() else { return }
        isBuilt = false
        table?.followers.removeAll { $0 === self }
    }

    // MARK: Writes

    @inlinable
    package override func note(_ key: Key, old: Row?, new: Row?) {
        guard follows(key, old: old) else { return }
        let before = old.flatMap { place(key, $0) }
        let after = new.flatMap { place(key, $0) }
        guard before != after else { return }
        var (tree, groups) = (draft ?? kept, draft == nil ? keptGroups : draftGroups)
        // The draft must not share its root with the copy here, or each write would copy the whole way twice.
        draft = nil
        if let before {
            let entry = IndexEntry(before, key)
            let found = tree.search { $0.precedes(entry) }
            if let element = found.element, !entry.precedes(element) {
                tree.remove(at: found.index)
                if !Self.isGroup(of: entry, beside: found.index, in: tree) { groups -= 1 }
            }
        }
        if let after {
            let entry = IndexEntry(after, key)
            insert(entry, into: &tree, &groups)
            if notesAdded { added.append(entry) }
        }
        draft = tree
        draftGroups = groups
    }

    /// Returns true if one of the two entries beside a place between entries is of the group of an entry.
    @inlinable
    static func isGroup(of entry: IndexEntry<Key>, beside index: Int, in tree: Tree) -> Bool {
        if index > 0, tree[index - 1].sharesGroup(with: entry) { return true }
        return index < tree.count && tree[index].sharesGroup(with: entry)
    }

    @inlinable
    package override func noteClear() {
        (draft, draftGroups, added) = (Tree(), 0, [])
    }

    @inlinable
    package override func keep() {
        if let draft { (kept, keptGroups) = (draft, draftGroups) }
        discard()
    }

    @inlinable
    package override func discard() {
        (draft, draftGroups) = (nil, 0)
        added.removeAll()
    }

    /// Returns the entries that the open transaction has added since the last call, of which some may be gone again.
    @inlinable
    package final func takeAdded() -> [IndexEntry<Key>] {
        buildIfNeeded()
        defer { added.removeAll() }
        return added
    }

    /// Returns the key of a row that the open transaction has put into a group with another row, and the key of that; nil
    /// if there is none. Precondition: `notesAdded`.
    package final func secondEntry() -> (key: Key, other: Key)? {
        guard let table, table.isWritten else { return nil }
        for entry in takeAdded() {
            let tree = entries
            guard let own = Self.index(of: entry, in: tree) else { continue }
            let range = Self.range(of: entry.place.group, in: tree)
            guard range.count > 1 else { continue }
            return (entry.key, tree[own == range.lowerBound ? own + 1 : range.lowerBound].key)
        }
        return nil
    }

    // MARK: Ranges

    /// The places of the entries of a group in a tree, in O(log n).
    @inlinable
    package static func range(of group: [UInt8], in tree: Tree) -> Range<Int> {
        let first = tree.partition { IndexBytes.compare($0.place.bytes, group) < 0 }
        let end = tree.partition { entry in
            IndexBytes.compare(entry.place.bytes, group) < 0
                || IndexBytes.begin(entry.place.bytes, with: group, group.count)
        }
        return first..<end
    }

    /// The place of an entry in a tree, in O(log n); nil if it is not there.
    @inlinable
    package static func index(of entry: IndexEntry<Key>, in tree: Tree) -> Int? {
        let found = tree.search { $0.precedes(entry) }
        guard let element = found.element, !entry.precedes(element) else { return nil }
        return found.index
    }

    /// Checks that the tree has an entry for each row that counts, at its place, and no other.
    package final func checkInvariants() {
        guard isBuilt, let table else { return }
        kept.checkInvariants()
        let expected = tree(of: table.rows)
        precondition(kept.count == expected.count, "an index has \(kept.count) entries for \(expected.count) rows")
        for index in 0..<kept.count {
            let (one, other) = (kept[index], expected[index])
            precondition(!one.precedes(other) && !other.precedes(one), "an entry of an index is at another place")
        }
        precondition(keptGroups == Self.groups(of: kept), "an index counts its groups wrongly")
        precondition(draft == nil && added.isEmpty, "an index has a draft after its transaction")
    }
}
