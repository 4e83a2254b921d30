/// The list that an operator maintains: the rows as they are, and the edits since the version that was delivered last.
@usableFromInline
package struct ListDraft<Key: Hashable, Row: Equatable> {
    @usableFromInline package typealias Entry = RowList<Key, Row>.Entry
    @usableFromInline package typealias Tree = RowList<Key, Row>.Tree
    @usableFromInline package typealias Edit = RowList<Key, Row>.Edit

    @usableFromInline package private(set) var tree = Tree()
    @usableFromInline var edits: [Edit] = []
    /// The version delivered last, nil before the first,
    @usableFromInline var version: ListVersion?
    /// and the steps that led to it.
    @usableFromInline var change: RowList<Key, Row>.Change?
    /// True if all rows were replaced since.
    @usableFromInline var isWhole = false

    @inlinable
    package init() {}

    @inlinable
    package mutating func insert(_ entry: Entry, at index: Int) {
        tree.insert(entry, at: index)
        edits.append(.insert(entry, at: index))
    }

    @inlinable
    package mutating func remove(at index: Int) {
        tree.remove(at: index)
        edits.append(.remove(at: index))
    }

    @inlinable
    package mutating func replace(at index: Int, with entry: Entry) {
        tree.replace(at: index, with: entry)
        edits.append(.replace(entry, at: index))
    }

    /// Puts the entry at `from` to where `place` says that it belongs in the tree without it.
    @inlinable
    package mutating func move(
        _ entry: Entry, from: Int, isChanged: Bool, to place: (Tree) throws -> Int
    ) rethrows {
        tree.remove(at: from)
        let to = try place(tree)
        tree.insert(entry, at: to)
        if from != to {
            edits.append(.move(entry, from: from, to: to, isChanged: isChanged))
        } else if isChanged {
            edits.append(.replace(entry, at: to))
        }
    }

    /// Replaces all rows.
    @inlinable
    package mutating func replaceAll(with entries: [Entry]) {
        guard
            version == nil || tree.count != entries.count
                || !zip(tree.elements(in: 0..<tree.count), entries).allSatisfy(==)
        else {
            return
        }
        tree = Tree(entries)
        edits = []
        isWhole = true
    }

    /// Makes the next version if anything has changed since the last, and returns it.
    @inlinable
    package mutating func advance() -> RowList<Key, Row>? {
        guard isWhole || !edits.isEmpty || version == nil else { return nil }
        change = version.flatMap { isWhole ? nil : RowList<Key, Row>.Change(from: $0, edits) }
        version = version?.next ?? ListVersion()
        isWhole = false
        edits = []
        return latest
    }

    /// The version delivered last. Precondition: nothing has changed since.
    @inlinable
    package var latest: RowList<Key, Row>? {
        version.map { RowList(tree, version: $0, change: change) }
    }
}
