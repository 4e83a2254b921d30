internal import StateStore

/// The reads of a copy for the feed of all spaces.
extension LogPlaces {
    /// Returns true if a database has the table.
    private static func exist(on connection: DatabaseConnection) throws(JournalFailure) -> Bool {
        try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'places'") > 0
    }

    /// Returns the places in the log of commits and deletions at places of the copy; nil where there is none.
    static func shares(
        of places: [Int], on connection: DatabaseConnection
    ) throws(JournalFailure) -> [Int?] {
        guard !places.isEmpty, try exist(on: connection) else { return places.map { _ in nil } }
        let find = try Statement(connection, "SELECT place FROM places WHERE seq = ?1")
        var shares: [Int?] = []
        var known: (seq: Int, place: Int?) = (0, nil)
        for place in places {
            let (seq, index) = place.quotientAndRemainder(dividingBy: FeedRows.placesPerRun)
            if known.seq != seq {
                find.bind(.integer(seq))
                known = (seq, try find.step() ? find.integer(0) : nil)
                find.reset()
            }
            shares.append(known.place.map { $0 &* FeedRows.placesPerRun &+ index })
        }
        return shares
    }

    /// Returns the cursor before the first commit or deletion that a reader does not have.
    static func cursor(
        after shares: [Int], on connection: DatabaseConnection
    ) throws(JournalFailure) -> JournalCursor {
        let newest = try FeedRows.newestSeq(on: connection)
        guard try exist(on: connection) else { return JournalCursor(place: 0, begun: newest) }
        let next = try Statement(
            connection,
            """
            SELECT places.seq FROM places LEFT JOIN runs ON runs.seq = places.seq
            WHERE lane = ?1 AND place >= ?2 AND (place > ?2 OR runs.last - runs.first + 1 > ?3) ORDER BY place LIMIT 1
            """)
        var first = newest + 1
        for (lane, share) in shares.enumerated() {
            let (place, index) = share.quotientAndRemainder(dividingBy: FeedRows.placesPerRun)
            next.bind(.integer(lane), .integer(place), .integer(index))
            if try next.step() { first = min(first, next.integer(0)) }
            next.reset()
        }
        // A program before this one has applied entries without their places.
        if shares.contains(0) {
            let oldest = try connection.integer("SELECT ifnull(min(seq), 0) FROM runs")
            if oldest > 0, try oldest < connection.integer("SELECT ifnull(min(seq), 0) FROM places") { first = oldest }
        }
        return JournalCursor(
            place: (first - 1) * FeedRows.placesPerRun + FeedRows.placesPerRun - 1, begun: first - 1)
    }
}
