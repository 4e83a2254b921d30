/// The read-only view of a table. Its rows are read through a transaction, or observed.
public class ReadableTable<Key: Hashable, Row: Equatable>: Rows<Key, Row> {
    /// The rows written by a transaction, nil for a removed row; `order` holds the keys in the order of first write.
    @usableFromInline package internal(set) final var written: [Key: Row?] = [:]
    @usableFromInline package internal(set) final var order: [Key] = []
    /// True if the transaction removed all rows before the writes in `written`.
    @usableFromInline package internal(set) final var isCleared = false
    /// The changes of the transaction, between `apply` and `publish`.
    @usableFromInline final var changes: [Changes<Key, Row>.Entry] = []
    /// The number of turns in which changes were delivered.
    @usableFromInline final var publications = 0
    /// The structures that follow each write.
    @usableFromInline package internal(set) final var followers: [TableFollower<Key, Row>] = []

    @usableFromInline let perform: (Node, WriteCommand) -> Void

    @inlinable
    init(beginningWith rows: [Key: Row]) {
        perform = { table, command in unsafe unsafeDowncast(table, to: ReadableTable<Key, Row>.self).perform(command) }
        super.init(madeBy: "table") { node in
            let table = unsafe unsafeDowncast(node, to: ReadableTable<Key, Row>.self)
            if table.isWanted { table.replay { table.emit($0) } }
        }
        self.rows = rows
        isTable = true
    }

    /// True if a listener or an observer wants to receive all rows.
    @usableFromInline final var isWanted: Bool {
        if unsafe observerList != nil { return true }
        var isWanted = false
        var walk = links.walk()
        while let link = unsafe links.next(of: &walk) {
            unsafe link._withUnsafeGuaranteedRef { if $0.wantsReplay { isWanted = true } }
        }
        return isWanted
    }

    @usableFromInline
    final override func slices(
        _ receive: @escaping (Changes<Key, Row>) -> Void
    ) -> RowSlices<Changes<Key, Row>>? {
        guard rows.count >= RowBuild.rowsAtLeast else { return nil }
        let walk = Box(KeyWalk(over: rows.keys))
        // The keys that came between a change of the table and its delivery, as they can if a listener cannot wait.
        let taken = Box<(publication: Int, keys: Set<Key>)>((0, []))
        return RowSlices(
            receive: { [unowned self] changes in
                let isTaken = taken.value.publication == publications
                let passed = changes.entries.filter { entry in
                    let isPassed = walk.value.hasPassed(entry.key, isNew: entry.old == nil)
                    return isPassed && !(isTaken && taken.value.keys.contains(entry.key))
                }
                if !passed.isEmpty { receive(Changes(passed)) }
            }, begin: { receive(Changes([])) },
            step: { [unowned self] in
                let keys = walk.value.nextKeys()
                let publication = changes.isEmpty ? publications : publications + 1
                if taken.value.publication == publication {
                    taken.value.keys.formUnion(keys)
                } else {
                    taken.value = (publication, keys)
                }
                let entries = keys.compactMap { key in
                    rows[key].map { Changes.Entry(key: key, old: nil, new: $0) }
                }
                if !entries.isEmpty { receive(Changes(entries)) }
                return walk.value.isOver
            })
    }

    @usableFromInline
    override func handle(_ command: WriteCommand) {
        perform(self, command)
    }

    @inlinable
    final func perform(_ command: WriteCommand) {
        switch command {
        case .dropUnchanged: break  // Row by row, in `apply` and in `encodeDraft`.
        case .apply: apply(countingEqual: false)
        case .take: apply(countingEqual: countsEqualWrites)
        case .publish: publish()
        case .deliver:
            apply(countingEqual: countsEqualWrites)
            publish()
        case .discard:
            discard()
            for follower in followers { follower.discard() }
        }
    }

    @inlinable
    final func apply(countingEqual: Bool) {
        var entries: [Changes<Key, Row>.Entry] = []
        if isCleared {
            for key in rows.keys where written[key] == nil { written.updateValue(nil, forKey: key) }
            for key in Array(written.keys) {
                take(written[key] ?? nil, for: key, into: &entries, countingEqual: countingEqual)
            }
        } else {
            for key in order {
                take(written[key] ?? nil, for: key, into: &entries, countingEqual: countingEqual)
            }
        }
        changes = entries
        discard()
        for follower in followers { follower.keep() }
    }

    @inlinable
    final func publish() {
        guard !changes.isEmpty else { return }
        let delivered = Changes(changes)
        changes = []
        publications += 1
        emit(delivered)
    }

    @inlinable
    final func discard() {
        written.removeAll(keepingCapacity: written.count < 64)
        order.removeAll(keepingCapacity: true)
        isCleared = false
        isWritten = false
    }

    /// Returns the row for a key as the transaction sees it.
    @inlinable
    package final func current(_ key: Key) -> Row? {
        if let row = written[key] { return row }
        return isCleared ? nil : rows[key]
    }

    @inlinable
    final func write(_ row: Row?, for key: Key, in graph: Graph) {
        noteWritten(in: graph)
        if !followers.isEmpty {
            let old = current(key)
            for follower in followers { follower.note(key, old: old, new: row) }
        }
        if written.updateValue(row, forKey: key) == nil { order.append(key) }
    }

    @inlinable
    final func clear(in graph: Graph) {
        noteWritten(in: graph)
        isCleared = true
        written.removeAll()
        order.removeAll()
        for follower in followers { follower.noteClear() }
    }

    @inlinable
    final func noteWritten(in graph: Graph) {
        guard !isWritten else { return }
        assert(!graph.unchangedAreDropped, "a write after dropUnchanged()")
        isWritten = true
        graph.written.append(self)
    }
}
