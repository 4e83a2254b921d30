import StateStore

/// Commits of a space in their order, from the journal: at most `commitsLimit` of them, and few enough that their bytes
/// have a bound.
enum ChangePage: Sendable {
    /// The commits of one answer at most,
    static let commitsLimit = 10_000
    /// and their bytes: the commit that passes this limit is the last.
    static let bytesLimit = 4 * 1_024 * 1_024
    /// The commits that are read from the journal at once.
    static let windowLimit = 64

    /// The commits, and whether these are all that the journal has.
    case commits([CommitRecord], isWhole: Bool)
    /// The journal no longer keeps the commits, but those after a version.
    case gone(oldest: Int)

    /// Reads the first `limit` commits after a version.
    init(of space: SpaceName, after version: Int, limit: Int, _ journal: any Journal) throws(JournalFailure) {
        var records: [CommitRecord] = []
        var bytes = 0
        var last = version
        while records.count < limit {
            let count = min(limit - records.count, Self.windowLimit)
            switch try journal.read(space, after: last, limit: count) {
            case .gone(let oldest):
                // Between two windows the journal may have dropped what came first: the commits that were read still go
                // together.
                self = records.isEmpty ? .gone(oldest: oldest) : .commits(records, isWhole: false)
                return
            case .commits(let window):
                for record in window {
                    records.append(record)
                    bytes += Self.size(of: record)
                    if bytes >= Self.bytesLimit {
                        self = .commits(records, isWhole: false)
                        return
                    }
                }
                guard window.count == count, let newest = window.last else {
                    self = .commits(records, isWhole: true)
                    return
                }
                last = newest.version
            }
        }
        self = .commits(records, isWhole: false)
    }

    /// The bytes of a commit in JSON, by estimate from below.
    private static func size(of record: CommitRecord) -> Int {
        record.facts.reduce(record.input?.count ?? 2) { $0 + ($1.value?.count ?? 4) + ($1.entry?.utf8.count ?? 0) }
    }
}
