extension Rows {
    /// The rows that satisfy a condition. A turn tests the rows that changed.
    @inlinable
    public func filter(_ isIncluded: @escaping (Key, Row) throws -> Bool) -> Rows<Key, Row> {
        eachRow { key, row in try isIncluded(key, row) ? row : nil }
    }

    /// Transforms each row. A turn computes the rows that changed and delivers those that differ.
    @inlinable
    public func map<New: Equatable>(_ transform: @escaping (Key, Row) throws -> New) -> Rows<Key, New> {
        eachRow(transform)
    }

    /// Transforms each row, and leaves out the rows that become nil.
    @inlinable
    public func compactMap<New: Equatable>(_ transform: @escaping (Key, Row) throws -> New?) -> Rows<Key, New> {
        eachRow(transform)
    }

    /// Derives each row from the row with the same key of this table; nil for none.
    @inlinable
    func eachRow<New: Equatable>(
        madeBy maker: StaticString = #function, _ transform: @escaping (Key, Row) throws -> New?
    ) -> Rows<Key, New> {
        let derived = Rows<Key, New>(madeBy: maker, from: self) {
            { rows, changes, entries in
                for change in changes.entries {
                    let new = try change.new.flatMap { try transform(change.key, $0) }
                    rows.take(new, for: change.key, into: &entries)
                }
            }
        }
        derived.rowByKey = { key in
            self.row(key).map { row in try row.flatMap { try transform(key, $0) } }.removeDuplicates()
        }
        return derived
    }
}

extension Rows {
    /// Rows that are derived from one source. Each start makes an `update`, which writes the rows that follow from a value of the source.
    @inlinable
    convenience init<Input>(
        madeBy maker: StaticString, from source: Observable<Input>,
        update: @escaping () -> (_ rows: Rows, Input, inout [Changes<Key, Row>.Entry]) throws -> Void
    ) {
        self.init(madeBy: maker) { node in
            let derived = unsafe unsafeDowncast(node, to: Rows<Key, Row>.self)
            derived.rows = [:]
            derived.undo = { [unowned derived] in derived.rows = [:] }
            let update = update()
            derived.listen(
                to: source,
                receive: { value in
                    derived.attempt {
                        var entries: [Changes<Key, Row>.Entry] = []
                        try update(derived, value, &entries)
                        if !entries.isEmpty || derived.latest == nil { derived.emit(Changes(entries)) }
                    }
                })
        }
    }
}
