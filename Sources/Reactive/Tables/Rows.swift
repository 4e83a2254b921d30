/// Rows by key that are followed by entry: what is derived from them costs what has changed, however many there are.
///
/// As an observable it delivers the changes of each turn; whoever begins to listen is told all rows there are, as entries that came.
public class Rows<Key: Hashable, Row: Equatable>: Observable<Changes<Key, Row>> {
    /// The rows there are.
    @usableFromInline package final var rows: [Key: Row] = [:]

    /// Tells a newcomer what is there, and not what changed last.
    @usableFromInline
    final override func greet(_ newcomer: (Changes<Key, Row>) -> Void) {
        newcomer(Changes(rows.map { Changes.Entry(key: $0.key, old: nil, new: $0.value) }))
    }

    /// Takes a row, or none for one that goes, and notes the change where it is one.
    @inlinable
    final func take(_ row: Row?, for key: Key, into entries: inout [Changes<Key, Row>.Entry]) {
        let old = rows[key]
        guard old != row else { return }
        rows[key] = row
        entries.append(Changes.Entry(key: key, old: old, new: row))
    }
}
