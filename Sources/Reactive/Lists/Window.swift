/// The part of a list that a window shows, followed from version to version.
@usableFromInline
struct Window {
    /// The places of the list that are in the window.
    @usableFromInline var places: Range<Int>

    /// A window on these places.
    @inlinable
    init(_ places: Range<Int>) {
        self.places = places
    }

    /// Moves the window by the rows that came or went before it: its rows stay the same.
    @inlinable
    mutating func shift(by count: Int) {
        places = places.lowerBound + count..<places.upperBound + count
    }

    /// Makes the window longer or shorter at its end.
    @inlinable
    mutating func extend(by count: Int) {
        places = places.lowerBound..<places.upperBound + count
    }

    /// Takes a step of the list. A row that comes to an edge of the window stays outside: it may not be one that the window is to show.
    @inlinable
    mutating func apply<Key, Row>(_ edit: RowList<Key, Row>.Edit, to draft: inout ListDraft<Key, Row>) {
        switch edit {
        case .replace(let entry, let index):
            if places.contains(index) { draft.replace(at: index - places.lowerBound, with: entry) }
        case .insert(let entry, let index): insert(entry, at: index, into: &draft)
        case .remove(let index): remove(at: index, from: &draft)
        case .move(let entry, let from, let to, let isChanged):
            if places.contains(from), places.contains(to) {
                draft.move(entry, from: from - places.lowerBound, isChanged: isChanged) { _ in to - places.lowerBound }
            } else {
                remove(at: from, from: &draft)
                insert(entry, at: to, into: &draft)
            }
        }
    }

    @inlinable
    mutating func insert<Key, Row>(
        _ entry: RowList<Key, Row>.Entry, at index: Int, into draft: inout ListDraft<Key, Row>
    ) {
        if index <= places.lowerBound {
            shift(by: 1)
        } else if index < places.upperBound {
            draft.insert(entry, at: index - places.lowerBound)
            extend(by: 1)
        }
    }

    @inlinable
    mutating func remove<Key, Row>(at index: Int, from draft: inout ListDraft<Key, Row>) {
        if index < places.lowerBound {
            shift(by: -1)
        } else if index < places.upperBound {
            draft.remove(at: index - places.lowerBound)
            extend(by: -1)
        }
    }

    /// Moves the edges of the window to where they belong in the list.
    @inlinable
    mutating func settle<Key, Row>(
        on wanted: Range<Int>, of list: RowList<Key, Row>, _ draft: inout ListDraft<Key, Row>
    ) {
        if places.isEmpty { places = wanted.lowerBound..<wanted.lowerBound }
        guard places.isEmpty || places.overlaps(wanted) else {
            draft.replaceAll(with: list.tree.elements(in: wanted))
            places = wanted
            return
        }
        while places.lowerBound < wanted.lowerBound {
            remove(at: places.lowerBound, from: &draft)
            shift(by: 1)
        }
        while places.upperBound > wanted.upperBound { remove(at: places.upperBound - 1, from: &draft) }
        while places.lowerBound > wanted.lowerBound {
            draft.insert(list[places.lowerBound - 1], at: 0)
            places = places.lowerBound - 1..<places.upperBound
        }
        while places.upperBound < wanted.upperBound {
            draft.insert(list[places.upperBound], at: places.count)
            extend(by: 1)
        }
    }
}

extension OrderedRows {
    /// At most `limit` rows of the list, from the place that `start` finds in each version. Delivers when one of them changed; a turn costs what
    /// changed in it, times the logarithm of the number of rows.
    @inlinable
    public final func window(
        limit: Int, from start: @escaping (RowList<Key, Row>) throws -> Int
    ) -> OrderedRows<Key, Row> {
        precondition(limit >= 0, "a window cannot have fewer than no rows")
        return OrderedRows<Key, Row>(from: self) {
            var known: ListVersion?
            var window = Window(0..<0)
            return { draft, list in
                let edits = list.edits(from: known)
                known = list.version
                let first = Swift.min(Swift.max(0, try start(list)), list.count)
                let wanted = first..<Swift.min(list.count, first + limit)
                if let edits {
                    for edit in edits { window.apply(edit, to: &draft) }
                    window.settle(on: wanted, of: list, &draft)
                } else {
                    draft.replaceAll(with: list.tree.elements(in: wanted))
                    window = Window(wanted)
                }
            }
        }
    }

    /// The first rows of the list, at most `limit`. Delivers when one of them changed.
    @inlinable
    public final func limit(_ limit: Int) -> OrderedRows<Key, Row> {
        window(limit: limit) { _ in 0 }
    }
}
