import StateStore

/// A page of the spaces that a token administers, in name order.
struct SpacePage: Sendable {
    /// The names that are read for one page at most.
    static let scanLimit = 10_000
    /// The names that are read from the journal at once.
    static let readLimit = 1_000
    /// The bytes of counted states at which a page with details ends.
    static let detailBytesLimit = 8 * 1_024 * 1_024

    /// A space of the page.
    struct ListedSpace: Sendable {
        let name: SpaceName
        let version: Int
        /// The summary, if the page has details and the space still exists.
        var summary: SpaceSummary?
    }

    /// The names that a page has, and what it says about each.
    struct Query: Sendable {
        var prefix: SpacePrefix?
        /// A part of the names; letters of both cases are equal.
        var part: String?
        var hasDetails = false

        fileprivate func matches(_ name: SpaceName) -> Bool {
            guard let part else { return true }
            return name.description.lowercased().contains(part)
        }
    }

    private(set) var spaces: [ListedSpace] = []
    /// The last name that was read, if there may be more after it; the token need not administer it.
    private(set) var last: SpaceName?

    /// The first `limit` spaces after a name that match a query and that a token administers, among the next `scanLimit`
    /// spaces.
    init(
        after name: SpaceName?, limit: Int, _ query: Query = Query(), of token: Token, _ journal: any Journal
    ) throws(JournalFailure) {
        try find(after: name, limit: limit, query, of: token, journal)
        if query.hasDetails { try addDetails(journal) }
    }

    private mutating func find(
        after start: SpaceName?, limit: Int, _ query: Query, of token: Token, _ journal: any Journal
    ) throws(JournalFailure) {
        let first = query.prefix?.before
        var name = start.map { start in first.map { max($0, start) } ?? start } ?? first
        var scanned = 0
        let takesEach = token.coversAll && query.part == nil
        while scanned < Self.scanLimit {
            let count = takesEach ? limit - spaces.count : Self.readLimit
            let read = try journal.spaces(after: name, limit: count)
            for space in read {
                if let prefix = query.prefix, !prefix.begins(space.name) { return }
                if query.matches(space.name), token.administers(space.name) {
                    spaces.append(ListedSpace(name: space.name, version: space.version))
                }
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

    /// Adds the summaries. If they count many bytes, the page ends early.
    private mutating func addDetails(_ journal: any Journal) throws(JournalFailure) {
        var bytes = 0
        for index in spaces.indices {
            spaces[index].summary = try journal.summary(of: spaces[index].name)
            bytes += spaces[index].summary?.bytes ?? 0
            guard bytes >= Self.detailBytesLimit, index + 1 < spaces.count else { continue }
            last = spaces[index].name
            spaces.removeLast(spaces.count - index - 1)
            return
        }
    }
}
