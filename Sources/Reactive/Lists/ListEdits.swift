/// The latest edits of a list, in one line, for readers that have missed some versions. It keeps at most as many as its limit.
public struct ListEdits<Key: Hashable, Row: Equatable> {
    /// The most edits that are kept.
    public let limit: Int
    /// The versions that are remembered, oldest first, each with the number of edits noted before it led on.
    @usableFromInline var versions: [(version: ListVersion, noted: Int)] = []
    @usableFromInline var edits: [RowList<Key, Row>.Edit] = []
    /// The number of edits that were noted and are forgotten.
    @usableFromInline var forgotten = 0

    /// The number of edits that are kept, in at most one version more.
    @inlinable public var count: Int { edits.count }

    /// No edits. Precondition: `limit >= 0`.
    @inlinable
    public init(limit: Int) {
        precondition(limit >= 0, "a memory cannot hold fewer than no edits")
        self.limit = limit
    }

    /// Notes a version of the list. If its change does not go on from the version noted before, all before is forgotten.
    @inlinable
    public mutating func note(_ list: RowList<Key, Row>) {
        guard let steps = list.edits(from: versions.last?.version), steps.count <= limit else {
            edits = []
            versions = [(list.version, forgotten)]
            return
        }
        if versions.last?.version == list.version { return }
        edits += steps
        versions.append((list.version, forgotten + edits.count))
        // Forgets in heaps, so that each edit is moved a bounded number of times.
        if edits.count > limit {
            let least = forgotten + edits.count - limit / 2
            let kept = versions.firstIndex { $0.noted >= least } ?? versions.count - 1
            edits.removeFirst(versions[kept].noted - forgotten)
            forgotten = versions[kept].noted
            versions.removeFirst(kept)
        }
    }

    /// The edits that lead from a version to the one noted last, in O(log n) and their number; nil if the version is not remembered.
    @inlinable
    public func edits(since version: ListVersion) -> ArraySlice<RowList<Key, Row>.Edit>? {
        guard let last = versions.last?.version, last.activation === version.activation else { return nil }
        let first = versions.count - 1 - (last.number - version.number)
        guard versions.indices.contains(first) else { return nil }
        return edits[(versions[first].noted - forgotten)...]
    }
}
