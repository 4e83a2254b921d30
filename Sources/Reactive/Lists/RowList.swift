/// Rows in an order, each with its key: one version of a list, which never changes and may be held for as long as a reader wants.
///
/// A copy takes O(1). An element by its place takes O(log n), so that a walk is best made with `for`.
public struct RowList<Key: Hashable, Row: Equatable> {
    /// One row with its key.
    public struct Entry: Equatable {
        /// The key of the row.
        public let key: Key
        /// The row.
        public let row: Row

        /// A row with its key.
        @inlinable
        public init(key: Key, row: Row) {
            self.key = key
            self.row = row
        }
    }

    /// One step from a version of a list to the next. Each place is one in the list that the steps before have led to.
    @usableFromInline
    package enum Edit {
        /// A row came and stands at a place.
        case insert(Entry, at: Int)
        /// The row at a place went.
        case remove(at: Int)
        /// The row at a place changed and stays there.
        case replace(Entry, at: Int)
        /// A row was taken out at `from` and put in at `to`, a place in the list without it. `isChanged` says if it is another row than before.
        case move(Entry, from: Int, to: Int, isChanged: Bool)
    }

    /// The steps that lead to a list from an earlier version of it.
    @usableFromInline
    package struct Change {
        /// The version that the first step applies to.
        @usableFromInline package let base: ListVersion
        /// The steps, in the order in which they apply.
        @usableFromInline package let edits: [Edit]

        @inlinable
        init(from base: ListVersion, _ edits: [Edit]) {
            self.base = base
            self.edits = edits
        }
    }

    @usableFromInline package typealias Tree = ListTree<Unmeasured<Entry>>

    @usableFromInline package let tree: Tree
    /// The identity of this version.
    @usableFromInline package let version: ListVersion
    /// The steps from the version delivered before; nil where most rows are new, so that a reader takes the whole.
    @usableFromInline package let change: Change?

    @inlinable
    init(_ tree: Tree, version: ListVersion, change: Change?) {
        self.tree = tree
        self.version = version
        self.change = change
    }

    /// The steps to this list from a version that a reader has; nil if only the whole helps.
    @inlinable
    package func edits(from known: ListVersion?) -> [Edit]? {
        guard let known else { return nil }
        if known == version { return [] }
        guard let change, change.base == known else { return nil }
        return change.edits
    }

    /// The number of places before the first entry that does not satisfy a condition, in O(log n). Precondition: no entry after that one
    /// satisfies it.
    @inlinable
    package func partition(where isBefore: (Entry) throws -> Bool) rethrows -> Int {
        try tree.partition(where: isBefore)
    }

    /// The rows in order, in O(n).
    @inlinable public var rows: [Row] { map(\.row) }
}

extension RowList: RandomAccessCollection {
    /// The first place.
    @inlinable public var startIndex: Int { 0 }
    /// The place after the last row, which is the number of rows.
    @inlinable public var endIndex: Int { tree.count }
    /// The entry at a place, in O(log n).
    @inlinable public subscript(position: Int) -> Entry { tree[position] }

    /// A walk through all entries, in O(n).
    @inlinable
    public func makeIterator() -> Iterator {
        Iterator(tree)
    }

    /// A walk through the entries of a list.
    public struct Iterator: IteratorProtocol {
        @usableFromInline let tree: Tree
        /// The entries of the leaf that is being walked.
        @usableFromInline var leaf: [Entry] = []
        /// The number of passed entries.
        @usableFromInline var place = 0
        /// The number of entries in this leaf and in those before.
        @usableFromInline var passed = 0

        @inlinable
        init(_ tree: Tree) {
            self.tree = tree
        }

        /// The next entry, or nil at the end.
        @inlinable
        public mutating func next() -> Entry? {
            if place == leaf.count {
                guard passed < tree.count else { return nil }
                leaf = tree.leaf(at: passed).node.elements
                passed += leaf.count
                place = 0
            }
            place += 1
            return leaf[place - 1]
        }
    }
}

extension RowList: Equatable {
    /// Compares versions and, if they differ, entries.
    @inlinable
    public static func == (one: RowList, other: RowList) -> Bool {
        one.version == other.version || one.elementsEqual(other)
    }
}

extension RowList: CustomStringConvertible, CustomReflectable {
    /// The rows in order, each with its key, the first 20 of them: `[a: 1, b: 2]`.
    public var description: String {
        var parts = prefix(20).map { "\($0.key): \($0.row)" }
        if count > 20 { parts.append("… \(count) rows") }
        return "[\(parts.joined(separator: ", "))]"
    }

    /// The rows in order, without the tree that holds them.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: Array(prefix(1_000)), displayStyle: .collection) }
}
