import Reactive
import Testing

/// A reader that keeps a list as an array and brings it up to date by the edits of each version, or by the whole where there are none.
final class ListReader<Key: Hashable, Row: Equatable> {
    private(set) var entries: [RowList<Key, Row>.Entry] = []
    private(set) var version: ListVersion?
    /// The versions that were delivered.
    private(set) var delivered = 0
    /// Those of them that were taken as a whole.
    private(set) var wholes = 0
    /// The edits of the version delivered last.
    private(set) var edits: [RowList<Key, Row>.Edit] = []

    var rows: [Row] { entries.map(\.row) }

    /// Watches a list.
    func watch(_ list: OrderedRows<Key, Row>, in graph: Graph) -> Subscription {
        list.watch(in: graph) { self.take($0) }
    }

    func take(_ list: RowList<Key, Row>) {
        delivered += 1
        list.tree.checkInvariants()
        if let edits = list.edits(from: version) {
            #expect(!edits.isEmpty)
            for edit in edits { edit.apply(to: &entries) }
            self.edits = edits
        } else {
            wholes += 1
            entries = Array(list)
            edits = []
        }
        version = list.version
        #expect(entries.elementsEqual(list))
        #expect(entries.count == list.count)
    }

    /// The edits of the version delivered last, as text.
    var script: String {
        edits.map { edit in
            switch edit {
            case .insert(let entry, let index): "insert \(entry.row) at \(index)"
            case .remove(let index): "remove \(index)"
            case .replace(let entry, let index): "replace \(index) by \(entry.row)"
            case .move(let entry, let from, let to, let isChanged):
                "move \(from) to \(to)" + (isChanged ? " as \(entry.row)" : "")
            }
        }.joined(separator: ", ")
    }
}

extension RowList.Edit {
    /// Takes the step in an array.
    func apply(to entries: inout [RowList<Key, Row>.Entry]) {
        switch self {
        case .insert(let entry, let index): entries.insert(entry, at: index)
        case .remove(let index): entries.remove(at: index)
        case .replace(let entry, let index):
            #expect(entries[index].key == entry.key && entries[index] != entry)
            entries[index] = entry
        case .move(let entry, let from, let to, let isChanged):
            #expect(from != to)
            let old = entries.remove(at: from)
            #expect(old.key == entry.key && (old != entry) == isChanged)
            entries.insert(entry, at: to)
        }
    }
}
