import Expressions
import Ground
import JSON
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
    /// Returns the index of a table by a definition.
    func index(_ definition: CompiledIndex, of table: ReadableTable<String, DescribedRow>) -> IndexRows {
        indexes.index(by: definition, of: table) {
            let index = IndexRows(definition, of: table)
            return (index, index.rows)
        }
    }
}

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

/// The rows of an index that is not there.
struct NoRows: RowRange {
    var count: Int { 0 }
    func key(at place: Int) -> String { "" }
    func row(_ key: String) -> JSON? { nil }
    func row(at place: Int) -> JSON { .null }
    func limited(to count: Int) -> any RowRange { self }
    func from(_ bound: JSON) -> any RowRange { self }
    func until(_ bound: JSON) -> any RowRange { self }
}

/// The groups of one index as a view reads them: the view listens to each that it reads, and to the number of groups if it
/// reads that.
final class IndexSource: ReadSource {
    /// A group that the view has read.
    private final class ReadGroup {
        var link: Link<Void>?
        /// True when the index is made.
        var isKnown = false
        var isRead = true
    }

    private unowned let output: Observable<JSON>
    private let named: FeatureIndexes.NamedIndex
    private let parts: PrivateParts?
    private let changed: () -> Void
    private var groups: [[UInt8]: ReadGroup] = [:]
    private var countLink: Link<Int>?
    private var count: Int?
    private var readsCount = false

    init(
        _ output: Observable<JSON>, _ named: FeatureIndexes.NamedIndex, hiding parts: PrivateParts?,
        changed: @escaping () -> Void
    ) {
        (self.output, self.named, self.parts, self.changed) = (output, named, parts, changed)
    }

    var input: ExpressionInput? { nil }

    var isPending: Bool {
        readsCount && count == nil || groups.contains { $0.value.isRead && !$0.value.isKnown }
    }

    func begin() {
        readsCount = false
        for group in groups.values { group.isRead = false }
    }

    func end() {
        if !readsCount, let countLink {
            countLink.cancel()
            (self.countLink, count) = (nil, nil)
        }
        for (key, group) in groups where !group.isRead {
            group.link?.cancel()
            groups[key] = nil
        }
    }

    func rows(_ values: [JSON]) -> any RowRange {
        guard let group = CompiledIndex.group(values) else { return NoRows() }
        listen(to: group)
        let (table, parts, index) = (named.table, parts, named.index)
        return GroupRange(
            index, index.rows.keptEntries, of: group,
            row: { key in
                let row = table.rows[key]?.value
                guard let parts, parts != .none else { return row }
                return row.map { parts.masking($0) }
            }, whole: { key in table.rows[key] })
    }

    private func listen(to key: [UInt8]) {
        if let known = groups[key] { return known.isRead = true }
        let group = ReadGroup()
        groups[key] = group
        group.link = output.listen(to: named.index.rows.changes(of: key)) { [weak self, weak group] in
            group?.isKnown = true
            self?.changed()
        }
    }

    var groupCount: Int {
        readsCount = true
        if countLink == nil {
            countLink = output.listen(to: named.index.rows.groupCounts()) { [weak self] count in
                self?.count = count
                self?.changed()
            }
        }
        return count ?? 0
    }
}

/// The indexes as one view reads them.
final class ViewIndexes: IndexReading {
    private let sources: Confined<[String: WeakSource]>

    private struct WeakSource {
        weak var source: IndexSource?
    }

    /// Weak, because a source is retained by the reads of its view.
    init(_ sources: [String: IndexSource]) { self.sources = Confined(sources.mapValues { WeakSource(source: $0) }) }

    func rows(of index: String, _ group: [JSON]) -> any RowRange {
        sources.value[index]?.source?.rows(group) ?? NoRows()
    }

    func groupCount(of index: String) -> Int { sources.value[index]?.source?.groupCount ?? 0 }
}
