/// The change of one row in one group of an index.
@usableFromInline
package struct GroupChange<Key: Hashable & Comparable, Row: Equatable> {
    @usableFromInline let key: Key
    /// The old and the new place in the group; nil where the row is not in it.
    @usableFromInline let old: IndexPlace?
    @usableFromInline let new: IndexPlace?
    /// The new row; nil if it is not in the group.
    @usableFromInline let row: Row?

    @inlinable
    init(_ key: Key, old: IndexPlace?, new: IndexPlace?, row: Row?) {
        (self.key, self.old, self.new, self.row) = (key, old, new, row)
    }
}

/// A receiver of the changes of one group.
@usableFromInline
final class GroupListener<Key: Hashable & Comparable, Row: Equatable> {
    @usableFromInline let receive: ([GroupChange<Key, Row>]) -> Void

    @inlinable
    init(_ receive: @escaping ([GroupChange<Key, Row>]) -> Void) { self.receive = receive }
}

/// The distributor of the changes of a table to those who observe groups of an index: a change costs the groups that the
/// row leaves and enters, however many others are observed.
///
/// As an observable it delivers once, when the index is made: then each listener reads its group and adds its route.
@usableFromInline
final class IndexRouter<Key: Hashable & Comparable, Row: Equatable>: Observable<Void> {
    @usableFromInline typealias GroupRoutes = Routes<[UInt8], GroupListener<Key, Row>>

    @usableFromInline var routes = GroupRoutes()
    /// The nodes that deliver the number of groups, and the number delivered last.
    @usableFromInline var counts = Routes<Bool, Observable<Int>>()
    @usableFromInline var lastCount = 0

    /// A router. The index owns it, and lives as long as it is active.
    @inlinable
    init(of index: TableIndex<Key, Row>) {
        super.init(madeBy: "index") { [unowned index] node in
            let router = unsafe unsafeDowncast(node, to: IndexRouter<Key, Row>.self)
            guard let table = index.table else { return }
            router.listen(to: table, wantsReplay: false) { [index] changes in
                if router.latest != nil { router.route(changes, index) }
            }
            index.whenBuilt(for: router) { [unowned router] in
                router.lastCount = index.keptGroups
                router.emit(())
            }
        }
    }

    /// Tells a new listener that the index is made.
    @usableFromInline
    override func replay(to listener: (()) -> Void) {
        if latest != nil { listener(()) }
    }

    @usableFromInline
    func route(_ changes: Changes<Key, Row>, _ index: TableIndex<Key, Row>) {
        if !routes.routes.isEmpty {
            var touched: [[UInt8]] = []
            var moves: [[UInt8]: [GroupChange<Key, Row>]] = [:]
            func note(_ group: [UInt8], _ change: GroupChange<Key, Row>) {
                guard routes.hasRoute(for: group) else { return }
                if moves[group] == nil { touched.append(group) }
                moves[group, default: []].append(change)
            }
            for entry in changes.entries {
                let old = entry.old.flatMap { index.place(entry.key, $0) }
                let new = entry.new.flatMap { index.place(entry.key, $0) }
                let (before, after) = (old?.group, new?.group)
                if let before, before != after { note(before, GroupChange(entry.key, old: old, new: nil, row: nil)) }
                if let after {
                    let isSame = before == after
                    note(after, GroupChange(entry.key, old: isSame ? old : nil, new: new, row: entry.new))
                }
            }
            for group in touched {
                let changes = moves[group] ?? []
                GroupRoutes.forEach(routes.routes[group]) { $0.receive(changes) }
            }
        }
        guard counts.hasRoute(for: true), index.keptGroups != lastCount else { return }
        lastCount = index.keptGroups
        Routes.forEach(counts.routes[true]) { $0.emit(index.keptGroups) }
    }
}

extension TableIndex {
    /// The router of the index, made when a group is first observed.
    @usableFromInline
    final var ownRouter: IndexRouter<Key, Row> {
        if let router { return router }
        let new = IndexRouter(of: self)
        router = new
        return new
    }

    /// Listens to the changes of a group for as long as a node is active. `begin` is called when the group can be read.
    @usableFromInline
    final func follow<Value>(
        _ groups: [[UInt8]], by node: Observable<Value>, begin: @escaping () -> Void,
        undo: @escaping () -> Void = {}, receive: @escaping ([GroupChange<Key, Row>]) -> Void
    ) {
        let router = ownRouter
        node.listen(to: router) { [unowned node] _ in
            let routes = groups.map { router.routes.add(GroupListener(receive), for: $0) }
            node.undo = {
                for route in routes { router.routes.remove(route) }
                undo()
            }
            begin()
        }
    }

    /// Delivers when a row of a group comes, changes or goes, and once at the beginning.
    package final func changes(of group: [UInt8]) -> Observable<Void> {
        Observable<Void>(madeBy: "index") { [self] node in
            follow([group], by: node, begin: { [unowned node] in node.emit(()) }) { [unowned node] _ in
                node.emit(())
            }
        }
    }

    /// Delivers the number of groups.
    package final func groupCounts() -> Observable<Int> {
        Observable<Int>(madeBy: "index") { [self] node in
            let router = ownRouter
            node.listen(to: router) { [unowned node] _ in
                let route = router.counts.add(node, for: true)
                node.undo = { router.counts.remove(route) }
                node.emit(self.keptGroups)
            }
        }
    }

    /// Gives the rows of large groups to a node that starts in slices. Returns false if it takes them at once. Changes
    /// come to the node meanwhile, also of rows that are to come.
    private func takeInSlices(
        _ ranges: [Range<Int>], of entries: Tree, in groups: [[UInt8]], into rows: Rows<Key, Row>
    ) -> Bool {
        guard let graph = unsafe rows.graph, let build = graph.building,
            ranges.reduce(0, { $0 + $1.count }) >= RowBuild.rowsAtLeast
        else { return false }
        graph.noteUnfinished(rows, build)
        var left = ranges[...]
        build.add { [weak rows, self] in
            guard let rows, rows.isActive, let range = left.popFirst() else { return true }
            if range.count > RowBuild.sliceRows {
                left.insert(range.dropFirst(RowBuild.sliceRows), at: left.startIndex)
            }
            let keys = entries.elements(in: range.prefix(RowBuild.sliceRows)).map(\.key)
            rows.take(
                keys.compactMap { key in
                    guard let row = table?.rows[key], let group = place(key, row)?.group, groups.contains(group) else {
                        return nil
                    }
                    return (key, row)
                })
            return left.isEmpty
        }
        rows.take([])
        return true
    }

    /// The rows of some groups. A turn costs the changed rows of these groups.
    package final func rows(of groups: [[UInt8]]) -> Rows<Key, Row> {
        Rows<Key, Row>(madeBy: "index") { [self] node in
            let rows = unsafe unsafeDowncast(node, to: Rows<Key, Row>.self)
            rows.rows = [:]
            follow(groups, by: rows) { [unowned rows] in
                var all: [(key: Key, row: Row?)] = []
                let entries = self.keptEntries
                let ranges = groups.map { Self.range(of: $0, in: entries) }
                if self.takeInSlices(ranges, of: entries, in: groups, into: rows) { return }
                for range in ranges {
                    for entry in entries.elements(in: range) {
                        all.append((entry.key, self.table?.rows[entry.key]))
                    }
                }
                rows.take(all)
            } undo: { [unowned rows] in
                rows.rows = [:]
            } receive: { [unowned rows] changes in
                rows.take(changes.map { (key: $0.key, row: $0.row) })
            }
        }
    }
}
