package import StateStore

/// The commits of all spaces, with cursors that mean the same on every node.
///
/// The copy has the commits in the order in which this node has applied them, which differs from node to node between
/// lanes, and is the same within a lane. So a cursor has a place in the log for each lane. A node that gets the cursor
/// of another begins with the first row that the reader does not have, and passes over those that it has.
extension ReplicatedJournal {
    package func readAll(after cursor: JournalCursor?, limit: Int) throws(JournalFailure) -> AllCommits {
        let none = Array(repeating: 0, count: status.laneCount + 1)
        var shares = cursor?.shares ?? none
        guard shares.count == none.count else { return .gone(oldest: JournalCursor(place: 0, begun: 0, shares: none)) }
        var start = cursor
        if let cursor, cursor.isForeign { start = shares == none ? nil : try copied.cursor(after: shares) }
        switch try copied.readAll(after: start, limit: limit) {
        case .gone(let oldest):
            return .gone(oldest: JournalCursor(place: oldest.place, begun: oldest.begun, shares: none))
        case .rows(let rows, let end, let isWhole):
            let places = try copied.shares(of: rows.map(\.cursor.place))
            var news: [AllCommits.Row] = []
            for (row, place) in zip(rows, places) {
                let lane = status.lane(of: row.event.space).index
                // A row without a place was applied by a program before this one, and so before all that have one.
                guard place.map({ $0 > shares[lane] }) ?? (shares[lane] == 0) else { continue }
                if let place { shares[lane] = place }
                let reached = JournalCursor(place: row.cursor.place, begun: row.cursor.begun, shares: shares)
                news.append(AllCommits.Row(cursor: reached, event: row.event))
            }
            return .rows(
                news, end: JournalCursor(place: end.place, begun: end.begun, shares: shares), isWhole: isWhole)
        }
    }
}
