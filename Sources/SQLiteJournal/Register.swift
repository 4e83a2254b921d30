internal import Glibc
internal import StateStore

/// The journal's lives as rows of `meta`: the epoch of now, the first that means something, those of spaces that were forgotten, and how the
/// journal is being written, so that whoever opens it next knows whether the end of it may have been lost.
enum Register {
    private static let begunPrefix = "begun "
    /// Stands in `life` of a journal that was closed, and so has lost nothing.
    private static let closed = "closed"

    /// Begins a life, and says what may be meant in it. What was told before means nothing any more unless all that was told is here.
    static func begin(_ durability: Durability, on connection: Connection) throws(JournalFailure) -> Lives {
        try connection.transaction { () throws(JournalFailure) in
            let last = try text("SELECT value FROM meta WHERE name = 'life'", on: connection)
            var lives = try read(connection)
            if last != closed, last != Durability.commit.rawValue {
                // By the clock as well, so that a directory that was begun anew does not count what its predecessor counted.
                lives = Lives(epoch: max(lives.epoch + 1, Int(time(nil))))
                try connection.execute("DELETE FROM meta WHERE name LIKE '\(begunPrefix)%'")
                try put("epoch", lives.epoch, on: connection)
                try put("first", lives.first, on: connection)
            }
            try connection.execute("INSERT OR REPLACE INTO meta VALUES ('life', '\(durability.rawValue)')")
            return lives
        }
    }

    /// Notes, after everything else was written, that nothing can be lost any more.
    static func end(on connection: Connection) throws(JournalFailure) {
        try connection.execute("INSERT OR REPLACE INTO meta VALUES ('life', '\(closed)')")
    }

    /// Notes that a space was forgotten, in the same transaction.
    static func note(_ next: Lives, after last: Lives, on connection: Connection) throws(JournalFailure) {
        try put("epoch", next.epoch, on: connection)
        if next.first != last.first {
            try put("first", next.first, on: connection)
            try connection.execute("DELETE FROM meta WHERE name LIKE '\(begunPrefix)%'")
        }
        for (space, epoch) in next.begun where last.begun[space] != epoch {
            try put(begunPrefix + String(space, radix: 16), epoch, on: connection)
        }
    }

    private static func read(_ connection: Connection) throws(JournalFailure) -> Lives {
        let rows = try Statement(connection, "SELECT name, value FROM meta")
        var epoch = 0
        var first = 0
        var begun: [UInt64: Int] = [:]
        while try rows.step() {
            let name = rows.text(0)
            if name == "epoch" { epoch = rows.integer(1) }
            if name == "first" { first = rows.integer(1) }
            if name.hasPrefix(begunPrefix), let space = UInt64(name.dropFirst(begunPrefix.count), radix: 16) {
                begun[space] = rows.integer(1)
            }
        }
        return Lives(epoch: epoch, first: first, begun: begun)
    }

    private static func text(_ sql: String, on connection: Connection) throws(JournalFailure) -> String? {
        let row = try Statement(connection, sql)
        return try row.step() ? row.text(0) : nil
    }

    private static func put(_ name: String, _ value: Int, on connection: Connection) throws(JournalFailure) {
        try connection.execute("INSERT OR REPLACE INTO meta VALUES ('\(name)', \(value))")
    }
}
