/// Rows by key that are observed entry by entry. A derivation costs O(changed entries), independent of the number of
/// rows.
///
/// As an observable it delivers the changes of each turn. A new listener receives all rows as inserted entries.
public class Rows<Key: Hashable, Row: Equatable>: Observable<Changes<Key, Row>> {
    /// The current rows.
    @usableFromInline package final var rows: [Key: Row] = [:]
    /// True if these are the rows of a table, which are known without an observer.
    @usableFromInline final var isTable = false
    /// Returns an observable of one row that needs no other row; nil if there is none.
    @usableFromInline final var rowByKey: ((Key) -> Observable<Row?>)?
    /// The router for observers of single rows, made for the first of them.
    @usableFromInline final var router: RowRouter<Key, Row>?

    package final override var isOfRows: Bool { true }

    /// Delivers all current rows to a new listener, and not the last changes.
    @usableFromInline
    final override func replay(to listener: (Changes<Key, Row>) -> Void) {
        listener(Changes(rows.map { Changes.Entry(key: $0.key, old: nil, new: $0.value) }))
    }

    /// Stores a row, or removes it if nil, and records the change if there is one, or if an equal row counts as one.
    @inlinable
    final func take(
        _ row: Row?, for key: Key, into entries: inout [Changes<Key, Row>.Entry], countingEqual: Bool = false
    ) {
        guard let place = rows.index(forKey: key) else {
            guard let row else { return }
            rows[key] = row
            return entries.append(Changes.Entry(key: key, old: nil, new: row))
        }
        // Equal keys may differ in representation. An existing row keeps the key it was inserted with.
        let (known, old) = rows[place]
        guard old != row || countingEqual else { return }
        if let row { rows.values[place] = row } else { rows.remove(at: place) }
        entries.append(Changes.Entry(key: known, old: old, new: row))
    }
}

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
