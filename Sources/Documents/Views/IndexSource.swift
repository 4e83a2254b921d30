import Expressions
import Ground
import JSON
import Reactive
import StateModel

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
