internal import StateStore

/// The journal's lives as rows of `meta`: the era, the count of forgotten spaces in it (`epoch`), the first count that means something, those of spaces
/// that were forgotten, and how the journal is being written. A start reads from them whether the end of the journal may have been lost.
enum Register {
    private static let begunPrefix = "begun "
    /// Stands in `life` of a journal that was closed, and so has lost nothing.
    private static let closed = "closed"

    /// Begins to write, and says which versions may be meant. The era goes on if everything that was told is here for certain; else a new one begins.
    static func begin(_ durability: Durability, _ file: LifeFile, on connection: Connection) throws(JournalFailure) -> LifeTable {
        let rows = try rows(of: connection)
        let life = rows["life"]
        let isClosed = life == closed
        let mayGoOn = isClosed || life == Durability.commit.rawValue
        let isProven = mayGoOn && rows["proof"].map { file.proves($0, isClosed: isClosed) } ?? false
        let last = isProven ? lives(in: rows) : nil
        let lives = last ?? LifeTable(era: .random(in: .min ... .max))
        // Before the transaction: where that fails, the two do not match, and the next start begins a new era, too.
        let proof = try file.begin()
        try connection.transaction { () throws(JournalFailure) in
            if last == nil {
                try connection.execute("DELETE FROM meta WHERE name LIKE '\(begunPrefix)%'")
                try put("era", Int(bitPattern: UInt(lives.era)), on: connection)
                try put("epoch", lives.count, on: connection)
                try put("first", lives.first, on: connection)
            }
            try connection.execute("INSERT OR REPLACE INTO meta VALUES ('life', '\(durability.rawValue)'), ('proof', '\(proof)')")
        }
        return lives
    }

    /// Notes, after everything else was written, that nothing can be lost any more.
    static func end(on connection: Connection) throws(JournalFailure) {
        try connection.execute("INSERT OR REPLACE INTO meta VALUES ('life', '\(closed)')")
    }

    /// Makes sure that whoever opens the journal next begins a new era.
    static func breakOff(on connection: Connection) throws(JournalFailure) {
        try connection.execute("DELETE FROM meta WHERE name = 'proof'")
    }

    /// Notes that a space was forgotten, in the same transaction.
    static func note(_ next: LifeTable, after last: LifeTable, on connection: Connection) throws(JournalFailure) {
        try put("epoch", next.count, on: connection)
        if next.first != last.first {
            try put("first", next.first, on: connection)
            try connection.execute("DELETE FROM meta WHERE name LIKE '\(begunPrefix)%'")
        }
        for (space, count) in next.begun where last.begun[space] != count {
            try put(begunPrefix + String(space, radix: 16), count, on: connection)
        }
    }

    /// The key of the digests that clients see. It is made where there is none yet.
    static func digestKey(on connection: Connection) throws(JournalFailure) -> DigestKey {
        let name = "digest key"
        let words = try rows(of: connection)[name]?.split(separator: " ").compactMap { UInt64($0, radix: 16) } ?? []
        if words.count == 2 { return DigestKey(words[0], words[1]) }
        let key = DigestKey.random()
        let text = String(key.first, radix: 16) + " " + String(key.second, radix: 16)
        try connection.execute("INSERT OR REPLACE INTO meta VALUES ('\(name)', '\(text)')")
        return key
    }

    /// The lives that are kept; nil where no era is, as in a directory of an older program.
    private static func lives(in rows: [String: String]) -> LifeTable? {
        guard let era = rows["era"].flatMap({ Int($0) }) else { return nil }
        func number(_ name: String) -> Int { rows[name].flatMap { Int($0) } ?? 0 }
        var begun: [UInt64: Int] = [:]
        for (name, value) in rows where name.hasPrefix(begunPrefix) {
            if let space = UInt64(name.dropFirst(begunPrefix.count), radix: 16), let count = Int(value) { begun[space] = count }
        }
        return LifeTable(era: UInt64(UInt(bitPattern: era)), count: number("epoch"), first: number("first"), begun: begun)
    }

    private static func rows(of connection: Connection) throws(JournalFailure) -> [String: String] {
        let rows = try Statement(connection, "SELECT name, CAST(value AS TEXT) FROM meta WHERE name <> 'room'")
        var values: [String: String] = [:]
        while try rows.step() { values[rows.text(0)] = rows.text(1) }
        return values
    }

    private static func put(_ name: String, _ value: Int, on connection: Connection) throws(JournalFailure) {
        try connection.execute("INSERT OR REPLACE INTO meta VALUES ('\(name)', \(value))")
    }
}
