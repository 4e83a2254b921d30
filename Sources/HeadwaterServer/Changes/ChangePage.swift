import StateStore

/// Commits of a space in their order, from the journal: at most `commitsLimit`, and none after the commit that brings
/// them to `bytesLimit`.
enum ChangePage: Sendable {
    /// The maximum number of commits of one answer.
    static let commitsLimit = 10_000
    /// The number of bytes at which an answer ends: the commit that reaches it is the last.
    static let bytesLimit = 4 * 1_024 * 1_024
    /// The number of bytes, shown or not, at which an answer ends too: what is withheld takes memory.
    static let heldLimit = 32 * 1_024 * 1_024
    /// The maximum number of commits of one read from the journal.
    static let windowLimit = 64

    /// Commits; `isWhole` is true if the journal has no later ones.
    case commits([CommitRecord], isWhole: Bool)
    /// The journal dropped these commits. It keeps those after version `oldest`.
    case gone(oldest: Int)

    /// Reads the first `limit` commits after a version. `size` is the number of bytes that a reader is shown of a commit: a
    /// page that ends earlier must not tell how large the rest is.
    init(
        of space: SpaceName, after version: Int, limit: Int, _ journal: any Journal, size: (CommitRecord) -> Int
    ) throws(JournalFailure) {
        var records: [CommitRecord] = []
        var (bytes, held) = (0, 0)
        var last = version
        while records.count < limit {
            let count = min(limit - records.count, Self.windowLimit)
            switch try journal.read(space, after: last, limit: count) {
            case .gone(let oldest):
                // The journal may drop commits between two reads. The commits that were read are still in a row.
                self = records.isEmpty ? .gone(oldest: oldest) : .commits(records, isWhole: false)
                return
            case .commits(let window):
                for record in window {
                    records.append(record)
                    bytes += size(record)
                    held += record.facts.size + (record.input?.count ?? 0)
                    if bytes >= Self.bytesLimit || held >= Self.heldLimit {
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
}
