extension Rows {
    /// The same rows under other keys. `key` returns a different one for each key, and `original` is its inverse; it
    /// returns nil for what is no key. A turn costs O(changed rows).
    package func withKeys<NewKey: Hashable, New: Equatable>(
        _ key: @escaping (Key) -> NewKey, from original: @escaping (NewKey) -> Key?,
        _ transform: @escaping (Row) throws -> New
    ) -> Rows<NewKey, New> {
        let derived = Rows<NewKey, New>(madeBy: #function, from: self) {
            { rows, changes, entries in
                for change in changes.entries {
                    rows.take(try change.new.map(transform), for: key(change.key), into: &entries)
                }
            }
        }
        derived.rowByKey = { name in
            guard let key = original(name) else { return Observable<New?>.just(nil) }
            return self.row(key).map { row in try row.map(transform) }.removeDuplicates()
        }
        return derived
    }
}
