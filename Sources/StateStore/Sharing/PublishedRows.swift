import Reactive

/// The recent changes of the rows in memory only of a space, and the processes that wait for the next one.
struct PublishedRows {
    /// The maximum number of changes that are remembered, and of their bytes. A node that has missed more takes all
    /// rows.
    static let limit = 1_024
    static let bytesLimit = 262_144

    private let epoch: UInt64
    private(set) var count = 0
    private var changes = Fifo<(number: Int, fact: Fact)>()
    private var bytes = 0
    /// The number of the newest change that is forgotten.
    private var forgotten = 0
    /// The processes to tell of the next change, once.
    private(set) var followers: Set<String> = []
    /// The places of the rows for the transfers under way, and the number of changes when they were listed.
    private var listing: (number: Int, rows: RowListing)?
    /// True if a node has asked for the rows since the last look.
    var wasUsed = true

    init(epoch: UInt64) {
        self.epoch = epoch
    }

    var number: RowsNumber { RowsNumber(epoch: epoch, count) }

    /// Returns a list that serves a transfer which began at a number of changes, or at this one for nil. `make` makes a
    /// new one.
    mutating func listing(since number: Int?, _ make: () -> RowListing) -> RowListing {
        if let number, let listing, listing.number >= number { return listing.rows }
        let rows = make()
        listing = (count, rows)
        return rows
    }

    /// Forgets the list of places. Another transfer makes one anew.
    mutating func forgetListing() {
        listing = nil
    }

    /// Takes a change of some rows. Returns the processes to tell.
    mutating func note(_ facts: [Fact]) -> [String] {
        count += 1
        for fact in facts {
            changes.append((count, fact))
            bytes += fact.size
        }
        while changes.count > Self.limit || bytes > Self.bytesLimit, let first = changes.popFirst() {
            bytes -= first.fact.size
            forgotten = first.number
        }
        return takeFollowers()
    }

    /// Returns the processes to tell, and forgets them: each asks again if it is still interested.
    mutating func takeFollowers() -> [String] {
        defer { followers = [] }
        return followers.sorted()
    }

    mutating func follow(_ process: String) {
        followers.insert(process)
    }

    mutating func drop(_ isGone: (String) -> Bool) {
        followers = followers.filter { !isGone($0) }
    }

    /// Returns the newest fact about each row that has changed after a number; nil if too many have, or if the number
    /// is of another epoch.
    func changes(after known: RowsNumber) -> [Fact]? {
        guard known.epoch == epoch, known.number >= forgotten, known.number <= count else { return nil }
        var seen: Set<RowsRequest.Place> = []
        var wholes: Set<String> = []
        var newest: [Fact] = []
        for place in stride(from: changes.count - 1, through: 0, by: -1) {
            guard let (number, fact) = changes[place], number > known.number else { break }
            if wholes.contains(fact.variable) { continue }
            if let entry = fact.entry {
                guard seen.insert(RowsRequest.Place(fact.variable, entry)).inserted else { continue }
            } else {
                wholes.insert(fact.variable)
            }
            newest.append(fact)
        }
        return newest.reversed()
    }
}
