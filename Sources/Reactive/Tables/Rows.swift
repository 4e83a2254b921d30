/// Rows by key that are followed by entry: what is derived from them costs what has changed, however many there are.
///
/// As an observable it delivers the changes of each turn; whoever begins to listen is told all rows there are, as entries that came.
public class Rows<Key: Hashable, Row: Equatable>: Observable<Changes<Key, Row>> {
    /// The rows there are.
    @usableFromInline package final var rows: [Key: Row] = [:]

    /// Tells a newcomer what is there, and not what changed last.
    @usableFromInline
    final override func replay(to listener: (Changes<Key, Row>) -> Void) {
        listener(Changes(rows.map { Changes.Entry(key: $0.key, old: nil, new: $0.value) }))
    }

    /// Takes a row, or none for one that goes, and notes the change where it is one.
    @inlinable
    final func take(_ row: Row?, for key: Key, into entries: inout [Changes<Key, Row>.Entry]) {
        guard let place = rows.index(forKey: key) else {
            guard let row else { return }
            rows[key] = row
            return entries.append(Changes.Entry(key: key, old: nil, new: row))
        }
        // Equal keys need not be written alike: as long as there is a row, its key stays the one that came with it.
        let (known, old) = rows[place]
        guard old != row else { return }
        if let row { rows.values[place] = row } else { rows.remove(at: place) }
        entries.append(Changes.Entry(key: known, old: old, new: row))
    }
}
