/// An index that is made from its table in slices if that is large.
package protocol SlicedIndex: AnyObject {
    /// True if it is to be made in slices: it is not made, and its table is large.
    var wantsSlices: Bool { get }
    /// Makes it in the slices of a build, and calls `done` in the turn of the last one. A small one is made at once.
    func buildInSlices(of build: RowBuild, _ done: @escaping () -> Void)
    /// Detaches it from its table, which no longer updates it.
    func detach()
}

/// A structure that follows the rows of a table within each transaction, so that a transaction reads its own writes in it.
///
/// It is made from the rows when it is first read: at once, or in slices (`RowBuild`). Then `walk` says which of the rows
/// it has already, and it takes the writes of these.
@usableFromInline
package class TableFollower<Key: Hashable, Row: Equatable>: SlicedIndex {
    /// The way over the rows that are to come; nil if it has all rows, or none.
    private final var walk: KeyWalk<Key>?
    /// The closures that wait for the last row.
    private final var waiting: [() -> Void] = []
    /// The build that takes the rows.
    private final weak var build: RowBuild?

    @inlinable
    package init() {}

    /// Takes one write of the open transaction; nil stands for no row.
    @usableFromInline package func note(_ key: Key, old: Row?, new: Row?) {}
    /// Takes the removal of all rows in the open transaction.
    @usableFromInline package func noteClear() {}
    /// Keeps the changes of the transaction.
    @usableFromInline package func keep() {}
    /// Drops the changes of the transaction.
    @usableFromInline package func discard() {}
    /// Forgets the rows, which are others now.
    @usableFromInline package func forget() {}
    /// The estimated bytes that it holds.
    @usableFromInline package var bytes: Int { 0 }
    /// Detaches it from its table, which no longer updates it.
    package func detach() {}

    // MARK: Building in slices

    /// The table; nil after `detach`.
    @usableFromInline package var followed: ReadableTable<Key, Row>? { nil }
    /// True if it has all rows.
    @usableFromInline package var hasAllRows: Bool { false }
    /// Makes it from all rows at once, if it does not have them.
    @usableFromInline package func buildIfNeeded() {}
    /// Takes rows that it does not have. Precondition: no transaction is open.
    @usableFromInline package func take(_ rows: [(key: Key, row: Row)]) {}

    /// True if it is being made in slices.
    @usableFromInline package final var isInSlices: Bool { walk != nil }

    /// Returns true if it is to be made in slices: it is not made, and its table is large.
    package final var wantsSlices: Bool {
        guard !hasAllRows, let followed, !followed.isWritten else { return false }
        return followed.rows.count >= RowBuild.rowsAtLeast
    }

    /// Makes it in the slices of a build, and calls `done` in the turn of the last one. A small one is made at once.
    package final func buildInSlices(of build: RowBuild, _ done: @escaping () -> Void) {
        guard wantsSlices, let table = followed else {
            buildIfNeeded()
            return done()
        }
        waiting.append(done)
        if isInSlices, let other = self.build { return build.depend(on: other) }
        table.followers.append(self)
        walk = KeyWalk(over: table.rows.keys)
        self.build = build
        build.add { [self] in
            guard walk != nil, let table = followed else { return end() }
            let keys = walk?.nextKeys() ?? []
            if !keys.isEmpty { take(keys.compactMap { key in table.rows[key].map { (key, $0) } }) }
            return walk?.isOver == false ? false : end()
        }
    }

    /// Calls `ready` when it has all rows, for a node that starts: in slices if the node does.
    @usableFromInline
    package final func whenBuilt(for node: Node, _ ready: @escaping () -> Void) {
        guard let graph = unsafe node.graph, let build = graph.building, wantsSlices else {
            buildIfNeeded()
            return ready()
        }
        graph.noteUnfinished(node, build)
        buildInSlices(of: build) { [weak node] in if node?.isActive == true { ready() } }
    }

    /// Ends the slices. The rest is made at once if something has stopped them.
    private final func end() -> Bool {
        if walk?.isOver == true { noteComplete() }
        buildIfNeeded()
        walk = nil
        let waiting = waiting
        self.waiting = []
        for done in waiting { done() }
        return true
    }

    /// Notes that it has all rows.
    @usableFromInline package func noteComplete() {}

    /// Stops making it in slices. Returns true if it was being made, and so follows the table already.
    @usableFromInline
    package final func stopSlices() -> Bool {
        defer { walk = nil }
        return walk != nil
    }

    /// Returns true if a write is to be taken: it is of a row that is there already.
    @usableFromInline
    package final func follows(_ key: Key, old: Row?) -> Bool {
        walk == nil || walk?.hasPassed(key, isNew: old == nil) == true
    }
}
