import Expressions
import Ground
import JSON
import Reactive
import StateModel

/// A table: the view listens to single rows, to the number of rows, or to all rows, as it reads them.
final class RowsSource: ReadSource {
    /// A row that the view has read.
    private final class ReadRow {
        var link: Link<DescribedRow?>?
        /// The row; nil if it has not arrived.
        var row: JSON??
        var isRead = true
    }

    /// The rows that a view listens to one by one; of a view that reads more it listens to all rows.
    private static let singleRows = 64

    private unowned let output: Observable<JSON>
    private let rows: Rows<String, DescribedRow>
    private let changed: () -> Void
    /// True if the rows are known without a listener.
    private let isTable: Bool
    private var single: [String: ReadRow] = [:]
    private var link: Link<Changes<String, DescribedRow>>?
    private var readsSize = false
    private var readsAll = false
    private var keys: [String] = []
    private var map: ExpressionInput?

    init(_ output: Observable<JSON>, _ rows: Rows<String, DescribedRow>, changed: @escaping () -> Void) {
        (self.output, self.rows, self.changed) = (output, rows, changed)
        isTable = rows is ReadableTable<String, DescribedRow>
    }

    var input: ExpressionInput? {
        if let map { return map }
        // Weak, because this retains the map.
        let confined = Confined(WeakSource(self))
        let made = ExpressionInput.map(
            LazyMap(
                count: { confined.value.source?.count ?? 0 }, key: { confined.value.source?.key(at: $0) ?? "" },
                value: { confined.value.source?.row($0).map { .json($0) } }))
        map = made
        return made
    }

    private struct WeakSource {
        weak var source: RowsSource?
        init(_ source: RowsSource) { self.source = source }
    }

    var isPending: Bool {
        if readsSize || readsAll, !isKnown { return true }
        return single.contains { $0.value.isRead && $0.value.row == nil }
    }

    /// True if the present rows are known.
    private var isKnown: Bool { isTable || rows.latest != nil }

    func begin() {
        (readsSize, readsAll) = (false, false)
        for row in single.values { row.isRead = false }
    }

    func end() {
        keys = []
        if !readsSize, !readsAll, let link {
            link.cancel()
            self.link = nil
        }
        for (key, row) in single where !row.isRead {
            row.link?.cancel()
            single[key] = nil
        }
    }

    // MARK: Reads

    private var count: Int {
        readsSize = true
        listenToAll()
        return rows.rows.count
    }

    private func key(at place: Int) -> String {
        readsAll = true
        listenToAll()
        if place == 0 { keys = IterationOrder.of(rows.rows.keys) }
        return place < keys.count ? keys[place] : ""
    }

    private func row(_ key: String) -> JSON? {
        if let known = single[key] {
            known.isRead = true
            return known.row ?? nil
        }
        if single.count >= Self.singleRows { readsAll = true }
        if readsAll {
            listenToAll()
            return rows.rows[key]?.value
        }
        let read = ReadRow()
        single[key] = read
        read.link = output.listen(to: rows.row(key)) { [weak self, weak read] row in
            read?.row = .some(row?.value)
            self?.changed()
        }
        return read.row ?? nil
    }

    private func listenToAll() {
        guard link == nil else { return }
        link = output.listen(to: rows, wantsReplay: false) { [weak self] changes in
            guard let self else { return }
            if self.readsAll || changes.entries.contains(where: { $0.old == nil || $0.new == nil }) { self.changed() }
        }
    }
}
