import CSQLite

/// The reference for the journal: a bare SQLite loop with the same columns, index and sync.
final class BareSQLite {
    private var database: OpaquePointer?
    private var insert: OpaquePointer?
    private var version: [Int32]
    private let action = Array("cart/add".utf8)

    init(_ path: String, spaces: Int) {
        version = Array(repeating: 0, count: spaces)
        sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")
        run(
            """
            CREATE TABLE commits (seq INTEGER PRIMARY KEY, space INTEGER, version INTEGER, at INTEGER, action TEXT,
                input TEXT, changed TEXT, partial TEXT, key TEXT, fingerprint INTEGER, sum INTEGER)
            """)
        run("CREATE UNIQUE INDEX commits_by_version ON commits (space, version)")
        let sql =
            "INSERT INTO commits (space, version, at, action, input, changed, partial, key, fingerprint, sum) "
            + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &insert, nil)
    }

    deinit {
        sqlite3_finalize(insert)
        sqlite3_close(database)
    }

    func append(_ count: Int, input: [UInt8], changed: [UInt8], partial: [UInt8]) {
        run("BEGIN IMMEDIATE")
        for index in 0..<count {
            let space = index % version.count
            version[space] += 1
            sqlite3_bind_int(insert, 1, Int32(space))
            sqlite3_bind_int(insert, 2, version[space])
            sqlite3_bind_int64(insert, 3, 1_700_000_000_000_000)
            bind(4, action)
            bind(5, input)
            bind(6, changed)
            bind(7, partial)
            sqlite3_bind_null(insert, 8)
            sqlite3_bind_null(insert, 9)
            sqlite3_bind_int64(insert, 10, 0x1234_5678_9ABC_DEF0)
            guard sqlite3_step(insert) == SQLITE_DONE else { preconditionFailure("a row was not written") }
            sqlite3_reset(insert)
        }
        run("COMMIT")
    }

    private func bind(_ place: Int32, _ text: [UInt8]) {
        text.withUnsafeBytes { text in
            // The arrays outlive the statement's execution, and their elements do not move.
            _ = sqlite3_bind_text(
                insert, place, text.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(text.count), nil)
        }
    }

    private func run(_ sql: String) {
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { preconditionFailure(sql) }
    }
}
