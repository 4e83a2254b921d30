/// The permission of one reader to read the commits of one space: the only way to what a commit shows.
package struct CommitPermit: Hashable, Sendable {
    /// The space.
    package let space: SpaceName
    /// True if the reader has the right `admin` in the space.
    private let isAdmin: Bool
    /// The subject of the reader, who sees the queue positions of its own actions.
    private let subject: String

    private init(_ space: SpaceName, isAdmin: Bool, subject: String) {
        (self.space, self.isAdmin, self.subject) = (space, isAdmin, subject)
    }

    /// Returns the permit of a reader for a space. Throws `.noRight` if the reader may not read the space.
    package static func issue(in space: SpaceName, to reader: Reader) throws(Refusal) -> CommitPermit {
        let rights = reader.permissions.rights(in: space)
        guard rights.contains(.read) else { throw .noRight(space) }
        return CommitPermit(space, isAdmin: rights.contains(.admin), subject: reader.caller.by)
    }

    /// Returns a commit of the space as the reader sees it. Without the right `admin` that is only the head, if the commits
    /// of a feature that has part in the commit are hidden, or were when it was made, and no memory if any feature has
    /// rules, or had some.
    package func shown(_ record: CommitRecord, by registry: Registry) -> ShownCommit {
        let mark = record.by == subject ? record.queueMark : nil
        return ShownCommit(record, part(of: record, by: registry), registry.hiddenCommit(record), mark)
    }

    private func part(of record: CommitRecord, by registry: Registry) -> ShownCommit.VisiblePart {
        if isAdmin { return .all }
        let marks = record.withheld
        if marks.contains(CommitRecord.hiddenMark) { return .head }
        // The features that are always hidden are in `common`.
        if registry.hidesCommits || space == .common, record.hasPart(ofFeature: registry.hidesCommits(of:)) {
            return .head
        }
        return registry.hidesCommits || marks.contains(CommitRecord.hiddenMemoryMark) ? .withoutMemory : .all
    }
}
