/// The first rows of a group in the order of an index, or the first ones after a place, maintained by row.
///
/// It holds no row but those that it shows, each with its entry of the index.
struct IndexWindow<Key: Hashable & Comparable, Row: Equatable> {
    typealias Index = TableIndex<Key, Row>

    private let index: Index
    private let group: [UInt8]
    /// The entry after which the window begins; nil for the beginning of the group.
    private let start: IndexEntry<Key>?
    private let limit: Box<Int>
    /// The entries that are shown.
    private var held = Index.Tree()
    private var isFilled = false

    init(_ index: Index, _ group: [UInt8], after start: IndexEntry<Key>?, limit: Box<Int>) {
        (self.index, self.group, self.start, self.limit) = (index, group, start, limit)
    }

    /// Brings a list up to date with changes of the group.
    mutating func take(_ changes: [GroupChange<Key, Row>], into draft: inout ListDraft<Key, Row>) {
        guard isFilled, changes.count <= 64 || changes.count * 4 <= held.count else { return refill(&draft) }
        for change in changes { take(change, into: &draft) }
        let wanted = wanted
        while held.count > wanted.count { remove(at: held.count - 1, from: &draft) }
        while held.count < wanted.count {
            let entry = index.keptEntries[wanted.lowerBound + held.count]
            guard let row = index.table?.rows[entry.key] else { break }
            draft.insert(RowList.Entry(key: entry.key, row: row), at: held.count)
            held.insert(entry, at: held.count)
        }
    }

    /// The places in the index of the entries that the window shows.
    private var wanted: Range<Int> {
        var range = Index.range(of: group, in: index.keptEntries)
        if let start {
            let first = index.keptEntries.partition { !start.precedes($0) }
            range = Swift.min(Swift.max(first, range.lowerBound), range.upperBound)..<range.upperBound
        }
        return range.prefix(limit.value)
    }

    private mutating func refill(_ draft: inout ListDraft<Key, Row>) {
        isFilled = true
        let entries = index.keptEntries.elements(in: wanted)
        held = Index.Tree(entries)
        draft.replaceAll(
            with: entries.compactMap { entry in
                index.table?.rows[entry.key].map { RowList.Entry(key: entry.key, row: $0) }
            })
    }

    /// Takes the change of one row. Rows behind the last one that is shown are left to the caller.
    private mutating func take(_ change: GroupChange<Key, Row>, into draft: inout ListDraft<Key, Row>) {
        let new = change.new.map { IndexEntry($0, change.key) }.flatMap { isAfterStart($0) ? $0 : nil }
        let from = change.old.flatMap { Index.index(of: IndexEntry($0, change.key), in: held) }
        guard let new, let row = change.row else {
            if let from { remove(at: from, from: &draft) }
            return
        }
        let shown = RowList<Key, Row>.Entry(key: change.key, row: row)
        // The window may have been filled with this change.
        if let place = Index.index(of: new, in: held) {
            if let from, from != place { remove(at: from, from: &draft) }
            let place = Index.index(of: new, in: held) ?? place
            if draft.tree[place] != shown { draft.replace(at: place, with: shown) }
            return
        }
        if let from {
            held.remove(at: from)
            let to = held.partition { $0.precedes(new) }
            guard to < held.count else { return draft.remove(at: from) }
            held.insert(new, at: to)
            return draft.move(shown, from: from, isChanged: true) { _ in to }
        }
        let to = held.partition { $0.precedes(new) }
        guard to < held.count else { return }
        held.insert(new, at: to)
        draft.insert(shown, at: to)
    }

    private func isAfterStart(_ entry: IndexEntry<Key>) -> Bool { start.map { $0.precedes(entry) } ?? true }

    private mutating func remove(at place: Int, from draft: inout ListDraft<Key, Row>) {
        held.remove(at: place)
        draft.remove(at: place)
    }
}

extension TableIndex {
    /// The form in which clients hold a place of a list.
    package struct PlaceForm {
        /// The type of the form.
        package let type: Any.Type
        /// Returns the form of a row.
        package let form: (Key, Row) -> Any
        /// Returns the place of a form; nil if it has none.
        package let place: (Key, Any) -> IndexPlace?

        package init(
            _ type: Any.Type, form: @escaping (Key, Row) -> Any, place: @escaping (Key, Any) -> IndexPlace?
        ) {
            (self.type, self.form, self.place) = (type, form, place)
        }
    }

    /// The rows of a group in the order of the index, at most `limit`. A turn costs what changed in the group, times the
    /// logarithm of the number of rows; the list holds the rows that it shows.
    package final func list(of group: [UInt8], limit: Int = .max, form: PlaceForm) -> OrderedRows<Key, Row> {
        let list = list(of: group, after: nil, limit: limit)
        list.makeCut = { [self] in
            ListCut(rowType: form.type) { start, count in
                let rows: OrderedRows<Key, Row>
                switch start {
                case .first: rows = self.list(of: group, after: nil, limit: Swift.min(count, limit))
                case .after(let key, let row):
                    rows = self.list(
                        of: group, after: form.place(key, row).map { IndexEntry($0, key) }, limit: count, of: limit)
                case .afterKey(let key):
                    guard let row = self.table?.rows[key], let place = self.place(key, row) else {
                        return .failed(LostPlace())
                    }
                    rows = self.list(of: group, after: IndexEntry(place, key), limit: count, of: limit)
                }
                return rows.map { (list: RowList<Key, Row>) in
                    list.map { CutRow(key: $0.key, row: $0.row, sorted: form.form($0.key, $0.row)) }
                }
            }
        }
        return list
    }

    /// Lets a large list that starts in slices show a part of its rows first, and more with each slice.
    private func grow<Value>(
        _ shown: Box<Int>, to limit: Int, of group: [UInt8], for node: Observable<[Value]>
    ) {
        let all = Swift.min(limit, Self.range(of: group, in: keptEntries).count)
        guard let graph = unsafe node.graph, let build = graph.building, all >= RowBuild.rowsAtLeast else { return }
        shown.value = RowBuild.sliceRows
        graph.noteUnfinished(node, build)
        build.add { [weak node] in
            guard let node, node.isActive else { return true }
            shown.value += RowBuild.sliceRows
            let isLast = shown.value >= Swift.min(limit, Self.range(of: group, in: self.keptEntries).count)
            if isLast { shown.value = limit }
            node.emit([])
            return isLast
        }
    }

    /// A window of a list that has at most `limit` rows.
    private func list(
        of group: [UInt8], after start: IndexEntry<Key>?, limit count: Int, of limit: Int
    ) -> OrderedRows<Key, Row> {
        guard limit < Int.max, start != nil else { return list(of: group, after: start, limit: count) }
        // The rows before the window count too.
        return list(of: group, after: nil, limit: limit).window(limit: count) { list in
            list.partition { entry in
                guard let start, let place = self.place(entry.key, entry.row) else { return false }
                return !start.precedes(IndexEntry(place, entry.key))
            }
        }
    }

    private func list(of group: [UInt8], after start: IndexEntry<Key>?, limit: Int) -> OrderedRows<Key, Row> {
        let shown = Box(limit)
        let changes = Observable<[GroupChange<Key, Row>]>(madeBy: "index") { [self] node in
            follow(
                [group], by: node,
                begin: { [unowned node] in
                    shown.value = limit
                    self.grow(shown, to: limit, of: group, for: node)
                    node.emit([])
                }
            ) { [unowned node] changes in node.emit(changes) }
        }
        return OrderedRows<Key, Row>(madeBy: "index", from: changes) { [self] in
            var window = IndexWindow(self, group, after: start, limit: shown)
            return { draft, changes in window.take(changes, into: &draft) }
        }
    }
}
