extension Rows {
    /// Joins each row with the row of another table for the same key, if there is one. A turn costs O(changed rows of
    /// either table).
    @inlinable
    public func joined<Other, Joined: Equatable>(
        with other: Rows<Key, Other>, _ join: @escaping (Key, Row, Other?) throws -> Joined
    ) -> Rows<Key, Joined> {
        let derived = Rows<Key, Joined> { node in
            guard let graph = unsafe node.graph else { return }
            let joined = unsafe unsafeDowncast(node, to: Rows<Key, Joined>.self)
            joined.rows = [:]
            joined.undo = { [unowned joined] in joined.rows = [:] }
            let arrived = Box<[Key]>([])
            let ended = Box<End?>(nil)
            let joint = joined.makeJoint()
            joint.run = {
                joined.attempt {
                    var entries: [Changes<Key, Joined>.Entry] = []
                    for key in arrived.value {
                        let row = try self.rows[key].map { try join(key, $0, other.rows[key]) }
                        joined.take(row, for: key, into: &entries)
                    }
                    arrived.value.removeAll(keepingCapacity: true)
                    if !entries.isEmpty || joined.latest == nil { joined.emit(Changes(entries)) }
                }
                if let end = ended.value { joined.finish(end) }
            }
            let end = { (ending: End) in
                ended.value = ended.value ?? ending
                graph.schedule(joint)
            }
            // Rows of the other table matter only for keys of this table, so the other need not replay all its rows.
            joined.listen(
                to: other, wantsReplay: false,
                receive: { changes in
                    for entry in changes.entries where self.rows[entry.key] != nil { arrived.value.append(entry.key) }
                    if !arrived.value.isEmpty { graph.schedule(joint) }
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
        derived.rowByKey = { key in
            combineLatest(self.row(key), other.row(key))
                .map { row, other in try row.map { try join(key, $0, other) } }
                .removeDuplicates()
        }
        return derived
    }
}
