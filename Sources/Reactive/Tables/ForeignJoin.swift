extension Rows {
    /// Joins each row with the row of another table that it refers to, if there is one. `foreign` returns the key of
    /// that row. A turn costs O(changed rows + rows that refer to a changed row of the other table).
    ///
    ///     orders.joined(with: products, by: { _, order in order.product }) { id, order, product in
    ///         OrderLine(order: id, price: product?.price)
    ///     }
    public func joined<OtherKey: Hashable, Other, Joined: Equatable>(
        with other: Rows<OtherKey, Other>, by foreign: @escaping (Key, Row) throws -> OtherKey?,
        _ join: @escaping (Key, Row, Other?) throws -> Joined
    ) -> Rows<Key, Joined> {
        Rows<Key, Joined>(madeBy: "joined") { node in
            guard let graph = unsafe node.graph else { return }
            let joined = unsafe unsafeDowncast(node, to: Rows<Key, Joined>.self)
            joined.rows = [:]
            joined.undo = { [unowned joined] in joined.rows = [:] }
            let references = References<Key, OtherKey>()
            let arrived = Box<[Key]>([])
            let moved = Box<[OtherKey]>([])
            let ended = Box<End?>(nil)
            let joint = joined.makeJoint()
            joint.run = {
                joined.attempt {
                    var entries: [Changes<Key, Joined>.Entry] = []
                    for key in arrived.value {
                        let row = self.rows[key]
                        references.set(try row.flatMap { try foreign(key, $0) }, of: key)
                        let target = references.target[key]
                        joined.take(
                            try row.map { try join(key, $0, target.flatMap { other.rows[$0] }) }, for: key,
                            into: &entries)
                    }
                    for target in moved.value {
                        for key in references.sources[target] ?? [] {
                            let row = try self.rows[key].map { try join(key, $0, other.rows[target]) }
                            joined.take(row, for: key, into: &entries)
                        }
                    }
                    arrived.value.removeAll(keepingCapacity: true)
                    moved.value.removeAll(keepingCapacity: true)
                    if !entries.isEmpty || joined.latest == nil { joined.emit(Changes(entries)) }
                }
                if let end = ended.value { joined.finish(end) }
            }
            let end = { (ending: End) in
                ended.value = ended.value ?? ending
                graph.schedule(joint)
            }
            // Rows of the other table matter only where a row refers to them, so the other need not replay its rows.
            joined.listen(
                to: other, wantsReplay: false,
                receive: { changes in
                    for entry in changes.entries where references.sources[entry.key] != nil {
                        moved.value.append(entry.key)
                    }
                    if !moved.value.isEmpty { graph.schedule(joint) }
                },
                end: end)
            joined.listen(
                to: self,
                receive: { changes in
                    for entry in changes.entries { arrived.value.append(entry.key) }
                    graph.schedule(joint)
                },
                end: end)
        }
    }
}

/// The references from the rows of one table to those of another.
private final class References<Key: Hashable, OtherKey: Hashable> {
    private(set) var target: [Key: OtherKey] = [:]
    private(set) var sources: [OtherKey: Set<Key>] = [:]

    /// Sets the row that a row refers to; nil for none.
    func set(_ new: OtherKey?, of key: Key) {
        let old = target[key]
        guard old != new else { return }
        if let old {
            sources[old]?.remove(key)
            if sources[old]?.isEmpty == true { sources[old] = nil }
        }
        target[key] = new
        if let new { sources[new, default: []].insert(key) }
    }
}
