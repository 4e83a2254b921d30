/// A walk over the keys of a table in slices, while transactions write the table.
///
/// The keys are divided by their hash, and the walk takes one division after the other. So whether it has passed a key
/// follows from the key, also of one that came later. It costs one copy of the keys, and none of the rows.
@usableFromInline
package struct KeyWalk<Key: Hashable> {
    /// The keys that are divided in one slice.
    private static var dividedAtOnce: Int { 16 * 1_024 }

    /// The keys that are in no division yet.
    private var waiting: ArraySlice<Key>
    private var divisions: [[Key]]
    /// The division that is next.
    private var next = 0

    @usableFromInline
    package init(over keys: some Collection<Key>) {
        waiting = Array(keys)[...]
        var count = 1
        while count * RowBuild.sliceRows < waiting.count { count *= 2 }
        divisions = Array(repeating: [], count: count)
    }

    /// True if all keys have passed.
    @usableFromInline package var isOver: Bool { next == divisions.count }

    private func division(of key: Key) -> Int { key.hashValue & (divisions.count - 1) }

    /// Returns the next keys, each once, of which some may be gone; none while keys are being divided.
    @usableFromInline
    package mutating func nextKeys() -> Set<Key> {
        guard waiting.isEmpty else {
            for key in waiting.prefix(Self.dividedAtOnce) { divisions[division(of: key)].append(key) }
            waiting = waiting.dropFirst(Self.dividedAtOnce)
            if waiting.isEmpty { waiting = [] }
            return []
        }
        guard !isOver else { return [] }
        defer {
            divisions[next] = []
            next += 1
        }
        return Set(divisions[next])
    }

    /// Returns true if the walk has passed a key whose row a transaction writes. A key that `isNew` comes to its division,
    /// if that is still to come.
    @usableFromInline
    package mutating func hasPassed(_ key: Key, isNew: Bool) -> Bool {
        let division = division(of: key)
        if division < next { return true }
        if isNew { divisions[division].append(key) }
        return false
    }
}
