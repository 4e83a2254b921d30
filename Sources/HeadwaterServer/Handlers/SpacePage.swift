import StateStore

/// A page of the spaces that a token administers, in name order.
struct SpacePage: Sendable {
    /// The names that are read for one page at most.
    static let scanLimit = 10_000
    /// The names that are read from the journal at once.
    static let readLimit = 1_000

    private(set) var spaces: [(name: SpaceName, version: Int)] = []
    /// The last name that was read, if there may be more after it; the token need not administer it.
    private(set) var last: SpaceName?

    /// The first `limit` spaces after a name that a token administers, among the next `scanLimit` spaces.
    init(after name: SpaceName?, limit: Int, of token: Token, _ journal: any Journal) throws(JournalFailure) {
        var name = name
        var scanned = 0
        while scanned < Self.scanLimit {
            let count = token.coversAll ? limit - spaces.count : Self.readLimit
            let read = try journal.spaces(after: name, limit: count)
            for space in read {
                if token.administers(space.name) { spaces.append(space) }
                name = space.name
                if spaces.count == limit {
                    last = name
                    return
                }
            }
            guard read.count == count else { return }
            scanned += read.count
        }
        last = name
    }
}
