import Expressions
import Ground
import JSON
import Reactive
import StateModel

/// The indexes as the expressions of the present call of an action read them.
final class CallIndexes: IndexReading {
    private struct Parts {
        let indexes: FeatureIndexes
        let call: PresentCall
    }

    private let parts: Confined<Parts>

    init(_ indexes: FeatureIndexes, _ call: PresentCall) { parts = Confined(Parts(indexes: indexes, call: call)) }

    func rows(of index: String, _ group: [JSON]) -> any RowRange {
        let call = parts.value.call
        guard let named = parts.value.indexes.byName[index] else { return NoRows() }
        let (table, label) = (named.table, named.label)
        return GroupRange(
            named.index, named.index.rows.entries, of: CompiledIndex.group(group),
            row: { key in
                let row = call.commit?.pointee[table, key]?.value
                guard let parts = call.hidden?.own[label] else { return row }
                return row.map { parts.masking($0) }
            }, whole: { key in call.commit?.pointee[table, key] })
    }

    func groupCount(of index: String) -> Int { parts.value.indexes.byName[index]?.index.rows.groupCount ?? 0 }
}
