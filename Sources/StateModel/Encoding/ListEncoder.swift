import JSON
import Reactive

/// The encoded form of a list that is watched: it encodes the rows that changed, and makes the next version.
struct ListEncoder {
    private var tree: ListTree<EncodedMeasure>
    private var history: ListHistory
    private var number = 0
    /// The version of the list that was encoded last; nil if the next one must be encoded whole.
    private var known: ListVersion?

    init(_ key: DigestKey) {
        history = ListHistory(key)
        tree = ListTree([], EncodedMeasure(point: history.point))
    }

    /// Encodes the rows of a list that changed since the version before. Returns nil if none comes out different.
    mutating func encode<Key, Row: JSONWritable>(_ list: RowList<Key, Row>) throws(JSONError) -> EncodedList? {
        let edits = list.edits(from: known)
        // After a failure the next version is encoded whole.
        known = nil
        guard let edits else {
            var rows: [EncodedRow] = []
            rows.reserveCapacity(list.count)
            for entry in list { rows.append(try encode(entry.row)) }
            history = ListHistory(history.key)
            tree = ListTree(rows, EncodedMeasure(point: history.point))
            number = 0
            known = list.version
            return latest()
        }
        var changes: [EncodedEdit] = []
        for edit in edits { try take(edit, into: &changes) }
        known = list.version
        guard !changes.isEmpty else { return nil }
        number += 1
        let next = latest()
        history.append(changes, listSize: next.size)
        return next
    }

    private mutating func take<Key, Row: JSONWritable>(
        _ edit: RowList<Key, Row>.Edit, into changes: inout [EncodedEdit]
    ) throws(JSONError) {
        switch edit {
        case .insert(let entry, let index):
            let row = try encode(entry.row)
            tree.insert(row, at: index)
            changes.append(.insert(row, at: index))
        case .remove(let index):
            changes.append(.remove(tree.remove(at: index), at: index))
        case .replace(let entry, let index):
            let row = try encode(entry.row)
            let old = tree.replace(at: index, with: row)
            if old.bytes != row.bytes { changes.append(.replace(row, old: old, at: index)) }
        case .move(let entry, let source, let target, let isChanged):
            let new = isChanged ? try encode(entry.row) : nil
            let old = tree.remove(at: source)
            tree.insert(new ?? old, at: target)
            if source != target { changes.append(.move(from: source, to: target)) }
            if let new, new.bytes != old.bytes { changes.append(.replace(new, old: old, at: target)) }
        }
    }

    // A row nests one level below the array.
    private func encode<Row: JSONWritable>(_ row: Row) throws(JSONError) -> EncodedRow {
        var writer = JSONWriter(depth: JSONReader.depthLimit - 1)
        row.write(to: &writer)
        return EncodedRow(try writer.finish(), history.key)
    }

    private func latest() -> EncodedList { EncodedList(tree, number: number, of: history) }
}
