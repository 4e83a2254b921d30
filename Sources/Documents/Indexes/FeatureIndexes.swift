import Reactive
import StateStore

/// The indexes of a feature in one space, by name.
struct FeatureIndexes {
    /// The index of a name and the table's name.
    struct NamedIndex {
        let index: IndexRows
        let label: String
        let table: Table<String, DescribedRow>
    }

    private(set) var byName: [String: NamedIndex] = [:]
    /// The indexes of each table, by the place of the table in the state.
    private(set) var byTable: [Int: [IndexRows]] = [:]

    init(_ indexes: [StateIndex], in space: DescribedSpace) {
        for state in indexes {
            guard case .table(let table) = space.state[state.table] else { continue }
            let index = space.index(state.index, of: table)
            byName[state.index.name] = NamedIndex(index: index, label: state.label, table: table)
            byTable[state.table, default: []].append(index)
        }
    }
}

extension DescribedSpace {
    /// Returns the full-text index of a table by a definition.
    func index(_ search: CompiledSearch, of table: ReadableTable<String, DescribedRow>) -> SearchRows {
        indexes.index(by: search, of: table) {
            let rows = SearchRows(search, of: table)
            return (rows, rows.index)
        }
    }

    /// Returns the index of a table in the order of its keys.
    func keyOrder(
        _ search: CompiledSearch, of table: ReadableTable<String, DescribedRow>
    ) -> TableIndex<String, DescribedRow> {
        indexes.index(by: search.keyOrder, of: table) {
            let index = TableIndex<String, DescribedRow>(of: table) { _, _ in IndexPlace([], groupLength: 0) }
            return (index, index)
        }
    }

    /// Returns the index of a table by a definition.
    func index(_ definition: CompiledIndex, of table: ReadableTable<String, DescribedRow>) -> IndexRows {
        indexes.index(by: definition, of: table) {
            let index = IndexRows(definition, of: table)
            return (index, index.rows)
        }
    }
}
