internal import StateStore

/// The journal's lives as rows of `meta`: the era, the number of deletions in it (`epoch`), the first valid number
/// (`first`), the numbers of deleted spaces (`begun …`), and the durability of the last process (`life`). From them, a
/// start determines whether commits may have been lost.
enum EpochTable {
    private static let begunPrefix = "begun "
    /// The value of `life` after a proper end, which loses no commit.
    private static let closed = "closed"

    /// Begins a life and returns the lives. The era continues if no acknowledged commit can be missing; otherwise a new
    /// one begins.
    static func begin(
        _ durability: Durability, _ file: LifeFile, on connection: DatabaseConnection
    ) throws(JournalFailure) -> LifeTable {
        let rows = try rows(of: connection)
        let life = rows["life"]
        let isClosed = life == closed
        let mayGoOn = isClosed || life == Durability.commit.rawValue
        let isProven = mayGoOn && rows["proof"].map { file.proves($0, isClosed: isClosed) } ?? false
        let last = isProven ? lives(in: rows) : nil
        let lives = last ?? LifeTable(era: .random(in: .min ... .max))
        // Before the transaction: if that fails, file and table differ, and the next start begins a new era too.
        let proof = try file.begin()
        try connection.transaction { () throws(JournalFailure) in
            if last == nil {
                try connection.execute("DELETE FROM meta WHERE name LIKE '\(begunPrefix)%'")
                try put("era", Int(bitPattern: UInt(lives.era)), on: connection)
                try put("epoch", lives.count, on: connection)
                try put("first", lives.first, on: connection)
            }
            try connection.execute(
                "INSERT OR REPLACE INTO meta VALUES ('life', '\(durability.rawValue)'), ('proof', '\(proof)')")
        }
        return lives
    }

    /// Stores the proper end and the newest batch. Precondition: everything else is written.
    static func end(on connection: DatabaseConnection) throws(JournalFailure) {
        try connection.execute(
            """
            INSERT OR REPLACE INTO meta SELECT 'newest space', space FROM (SELECT space FROM runs ORDER BY seq DESC LIMIT 1);
            INSERT OR REPLACE INTO meta SELECT 'newest last', last FROM (SELECT last FROM runs ORDER BY seq DESC LIMIT 1);
            """)
        try connection.execute("INSERT OR REPLACE INTO meta VALUES ('life', '\(closed)')")
    }

    /// Makes the next start begin a new era.
    static func breakOff(on connection: DatabaseConnection) throws(JournalFailure) {
        try connection.execute("DELETE FROM meta WHERE name = 'proof'")
    }

    /// Stores the deletion of a space, in the transaction of the caller.
    static func note(
        _ next: LifeTable, after last: LifeTable, lastSpace: Int, on connection: DatabaseConnection
    ) throws(JournalFailure) {
        try put("last space", lastSpace, on: connection)
        try put("epoch", next.count, on: connection)
        if next.first != last.first {
            try put("first", next.first, on: connection)
            try connection.execute("DELETE FROM meta WHERE name LIKE '\(begunPrefix)%'")
        }
        for (space, count) in next.begun where last.begun[space] != count {
            try put(begunPrefix + String(space, radix: 16), count, on: connection)
        }
    }

    /// The highest ID that a space ever had. IDs are never reused, because runs still refer to deleted spaces.
    static func lastSpace(on connection: DatabaseConnection) throws(JournalFailure) -> Int {
        try connection.integer(
            """
            SELECT max((SELECT ifnull(max(id), 0) FROM spaces), (SELECT ifnull(max(space), 0) FROM forgotten),
                (SELECT ifnull(max(value), 0) FROM meta WHERE name = 'last space'))
            """)
    }

    /// The run appended last; nil if there is none.
    static func newestRun(on connection: DatabaseConnection) throws(JournalFailure) -> CommitBatch.Predecessor? {
        let newest = try Statement(connection, "SELECT space, last FROM runs ORDER BY seq DESC LIMIT 1")
        guard try newest.step() else { return nil }
        return CommitBatch.Predecessor(space: newest.integer(0), last: newest.integer(1))
    }

    /// The newest run at the last proper end, stored by that process; nil without one.
    static func newestRunAtEnd(on connection: DatabaseConnection) throws(JournalFailure) -> CommitBatch.Predecessor? {
        let rows = try rows(of: connection)
        guard let space = rows["newest space"].flatMap({ Int($0) }), let last = rows["newest last"].flatMap({ Int($0) })
        else { return nil }
        return CommitBatch.Predecessor(space: space, last: last)
    }

    /// The key of the digests that clients see. Creates it if there is none.
    static func digestKey(on connection: DatabaseConnection) throws(JournalFailure) -> DigestKey {
        let name = "digest key"
        let words = try rows(of: connection)[name]?.split(separator: " ").compactMap { UInt64($0, radix: 16) } ?? []
        if words.count == 2 { return DigestKey(words[0], words[1]) }
        let key = DigestKey.random()
        let text = String(key.first, radix: 16) + " " + String(key.second, radix: 16)
        try connection.execute("INSERT OR REPLACE INTO meta VALUES ('\(name)', '\(text)')")
        return key
    }

    /// The lives in the table; nil if there is no era, as in a directory of an older program.
    private static func lives(in rows: [String: String]) -> LifeTable? {
        guard let era = rows["era"].flatMap({ Int($0) }) else { return nil }
        func number(_ name: String) -> Int { rows[name].flatMap { Int($0) } ?? 0 }
        var begun: [UInt64: Int] = [:]
        for (name, value) in rows where name.hasPrefix(begunPrefix) {
            if let space = UInt64(name.dropFirst(begunPrefix.count), radix: 16), let count = Int(value) {
                begun[space] = count
            }
        }
        return LifeTable(
            era: UInt64(UInt(bitPattern: era)), count: number("epoch"), first: number("first"), begun: begun)
    }

    private static func rows(of connection: DatabaseConnection) throws(JournalFailure) -> [String: String] {
        let rows = try Statement(connection, "SELECT name, CAST(value AS TEXT) FROM meta WHERE name <> 'room'")
        var values: [String: String] = [:]
        while try rows.step() { values[rows.text(0)] = rows.text(1) }
        return values
    }

    private static func put(_ name: String, _ value: Int, on connection: DatabaseConnection) throws(JournalFailure) {
        try connection.execute("INSERT OR REPLACE INTO meta VALUES ('\(name)', \(value))")
    }
}
