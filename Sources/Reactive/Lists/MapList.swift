extension OrderedRows {
    /// Transforms each row of the list, in the same order. A turn computes the rows that changed and delivers those that differ.
    @inlinable
    public final func map<New: Equatable>(_ transform: @escaping (Key, Row) throws -> New) -> OrderedRows<Key, New> {
        let mapped = OrderedRows<Key, New>(from: self) {
            var known: ListVersion?
            return { draft, list in
                let edits = list.edits(from: known)
                known = list.version
                func become(_ entry: RowList<Key, Row>.Entry) throws -> RowList<Key, New>.Entry {
                    RowList<Key, New>.Entry(key: entry.key, row: try transform(entry.key, entry.row))
                }
                guard let edits else { return draft.replaceAll(with: try list.map(become)) }
                for edit in edits {
                    switch edit {
                    case .insert(let entry, let index): draft.insert(try become(entry), at: index)
                    case .remove(let index): draft.remove(at: index)
                    case .replace(let entry, let index):
                        let new = try become(entry)
                        if draft.tree[index] != new { draft.replace(at: index, with: new) }
                    case .move(let entry, let from, let to, let isChanged):
                        let old = draft.tree[from]
                        let new = isChanged ? try become(entry) : old
                        draft.move(new, from: from, isChanged: new != old) { _ in to }
                    }
                }
            }
        }
        passCut(to: mapped, transform)
        return mapped
    }
}
