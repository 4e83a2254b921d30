package import Reactive

/// The indexes that a feature has of its tables, and of those that it is given, in one space. Each is made when it is first
/// asked for, and goes with the feature.
package final class SpaceIndexes {
    /// An index of one table.
    private struct HeldIndex {
        /// The definition, which lives as long as the index.
        let definition: AnyObject
        let table: ObjectIdentifier
        let index: AnyObject
        let rows: TableFollower<String, DescribedRow>
    }

    private var all: [ObjectIdentifier: [HeldIndex]] = [:]

    package init() {}

    deinit {
        for held in all.values.joined() { held.rows.detach() }
    }

    /// Returns the index of a table by a definition, which `make` makes the first time.
    package func index<Index: AnyObject>(
        by definition: AnyObject, of table: ReadableTable<String, DescribedRow>,
        _ make: () -> (Index, TableFollower<String, DescribedRow>)
    ) -> Index {
        let id = ObjectIdentifier(definition)
        for held in all[id] ?? [] where held.table == ObjectIdentifier(table) {
            if let index = held.index as? Index { return index }
        }
        let (index, rows) = make()
        all[id, default: []].append(
            HeldIndex(definition: definition, table: ObjectIdentifier(table), index: index, rows: rows))
        return index
    }

    /// The estimated bytes of all indexes.
    package var bytes: Int { all.isEmpty ? 0 : all.values.joined().reduce(0) { $0 + $1.rows.bytes } }
}
