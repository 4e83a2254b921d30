import StateStore

/// The last commits that changed some variables or entries of one space, found by the index of the journal.
struct Provenance: Sendable {
    /// The commit that changed each origin last; none for an origin that no stored commit has changed.
    private(set) var last: [SpaceGraph.Origin: CommitRecord] = [:]
    /// The version after which the journal stores all commits.
    let oldest: Int

    /// Finds the last commits up to a version. `names` are the names in facts of variables that have others there.
    init(
        of origins: [SpaceGraph.Origin], _ names: [String: String], in space: SpaceName, upTo version: Int,
        _ journal: any Journal
    ) throws(JournalFailure) {
        // The journal tells its oldest version if it is asked for commits after a version that there never was.
        if case .gone(let kept) = try journal.read(space, after: -1, limit: 1) {
            oldest = max(0, kept)
        } else {
            oldest = 0
        }
        for origin in origins {
            guard
                let head = try journal.lastChange(
                    of: names[origin.variable] ?? origin.variable, entry: origin.entry, in: space, upTo: version),
                case .commits(let records) = try journal.read(space, after: head.version - 1, limit: 1),
                let record = records.first
            else { continue }
            last[origin] = record
        }
    }
}
