import StateStore

/// The last commits that changed some variables of one space, as far back as was looked.
struct Provenance: Sendable {
    /// The commits that are read at most,
    static let scanLimit = 2_000
    /// and how many of them at once.
    static let windowLimit = 250

    /// The commit that changed a variable last; none for one that no commit which was looked at has changed.
    private(set) var last: [String: CommitRecord] = [:]
    /// The oldest version that was looked at, or the one after the newest where none was.
    private(set) var oldest: Int

    /// Looks back from a version until every variable is found, the history ends, or the limit is reached.
    init(of variables: [String], in space: SpaceName, upTo version: Int, _ journal: any Journal) throws(JournalFailure)
    {
        oldest = version + 1
        var wanted = Set(variables)
        let floor = max(0, version - Self.scanLimit)
        while !wanted.isEmpty, oldest - 1 > floor {
            let end = oldest - 1
            var start = max(floor, end - Self.windowLimit)
            var past = try journal.read(space, after: start, limit: end - start)
            if case .gone(let kept) = past {
                guard kept < end else { return }
                start = kept
                past = try journal.read(space, after: start, limit: end - start)
            }
            guard case .commits(let records) = past, let first = records.first else { return }
            for record in records.reversed() where record.version <= end {
                for variable in record.changed where wanted.remove(variable) != nil { last[variable] = record }
            }
            guard first.version < oldest else { return }
            oldest = first.version
            if start > floor, oldest > start + 1 { return }
        }
    }
}
