/// The distributor of the changes of rows to those who observe one group each: a change costs the groups that the row
/// leaves and enters.
///
/// As an observable it delivers once, when the rows are known: then each listener takes its rows and adds its route.
@usableFromInline
final class GroupRouter<Group: Hashable, Key: Hashable, Row: Equatable>: Observable<Void> {
    @usableFromInline var routes = Routes<Group, Rows<Key, Row>>()
    /// The keys of the rows of each group.
    @usableFromInline var members: [Group: Set<Key>] = [:]

    @inlinable
    init(of source: Rows<Key, Row>, by group: @escaping (Row) throws -> Group) {
        super.init(madeBy: "group") { node in
            let router = unsafe unsafeDowncast(node, to: GroupRouter<Group, Key, Row>.self)
            router.undo = { [unowned router] in router.members = [:] }
            router.listen(
                to: source,
                receive: { changes in
                    router.attempt {
                        // The changes of each group that is observed, in the order in which the groups were touched.
                        var touched: [Group] = []
                        var moves: [Group: [(key: Key, row: Row?)]] = [:]
                        func note(_ group: Group, _ key: Key, _ row: Row?) {
                            guard router.routes.hasRoute(for: group) else { return }
                            if moves[group] == nil { touched.append(group) }
                            moves[group, default: []].append((key, row))
                        }
                        for entry in changes.entries {
                            let old = try entry.old.map(group)
                            let new = try entry.new.map(group)
                            if let old, old != new {
                                router.members[old]?.remove(entry.key)
                                if router.members[old]?.isEmpty == true { router.members[old] = nil }
                                note(old, entry.key, nil)
                            }
                            if let new {
                                if old != new { router.members[new, default: []].insert(entry.key) }
                                note(new, entry.key, entry.new)
                            }
                        }
                        guard router.latest != nil else { return router.emit(()) }
                        for group in touched {
                            Routes.forEach(router.routes.routes[group]) { rows in
                                rows.take(moves[group] ?? [])
                            }
                        }
                    }
                })
        }
    }

    @usableFromInline override var takesSlices: Bool { true }

    /// Tells a new listener that the rows are known, if they are.
    @usableFromInline
    override func replay(to listener: (()) -> Void) {
        if latest != nil { listener(()) }
    }
}

extension Rows {
    /// Takes rows, nil for removed ones, and delivers the changes; the first time also if there are none.
    @inlinable
    package final func take(_ changed: [(key: Key, row: Row?)]) {
        var entries: [Changes<Key, Row>.Entry] = []
        for (key, row) in changed { take(row, for: key, into: &entries) }
        if !entries.isEmpty || latest == nil { emit(Changes(entries)) }
    }
}

extension RowGroups {
    /// The rows of one group. A turn costs the changed rows of the groups that are observed, however many are.
    @inlinable
    public func rows(of wanted: Group) -> Rows<Key, Row> {
        Rows<Key, Row> { [source, router] node in
            let rows = unsafe unsafeDowncast(node, to: Rows<Key, Row>.self)
            rows.rows = [:]
            rows.listen(to: router) { [unowned rows] _ in
                let route = router.routes.add(rows, for: wanted)
                rows.undo = { [unowned rows] in
                    rows.rows = [:]
                    router.routes.remove(route)
                }
                rows.take((router.members[wanted] ?? []).map { (key: $0, row: source.rows[$0]) })
            }
        }
    }
}
