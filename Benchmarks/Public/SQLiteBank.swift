import CLinux
import CSQLite
import Glibc

/// The bank of `Scripts/bench public` on SQLite in a small server: one thread, one transaction for each request, a body of
/// two keys and an amount. It has no limits and no safety, and serves only as a measure.
enum SQLiteBank {
    private static let answer = Array(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}".utf8)

    /// Serves the bank in a file of `count` accounts until it is killed. Its first line of output contains its port.
    /// `synchronous` is the setting of SQLite: FULL syncs each commit, NORMAL none.
    static func run(_ arguments: [String]) {
        guard arguments.count == 3, let count = Int(arguments[1]) else {
            print("usage: Benchmarks sqlite FILE ACCOUNTS FULL|NORMAL")
            exit(2)
        }
        let bank = Database(arguments[0], synchronous: arguments[2])
        bank.fill(count)
        Floor.forEachRequest(of: "sqlite") { descriptor, buffer, length in
            bank.transfer(Self.numbers(in: buffer[0..<length]))
            _ = send(descriptor, Self.answer, Self.answer.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// The numbers of the body: of `{"from":"a17","to":"a4","amount":1}` 17, 4 and 1.
    private static func numbers(in request: ArraySlice<UInt8>) -> [Int64] {
        let body = request.lastIndex(of: UInt8(ascii: "{")).map { request[$0...] } ?? []
        var numbers: [Int64] = []
        var isInside = false
        for byte in body {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else {
                isInside = false
                continue
            }
            if !isInside { numbers.append(0) }
            isInside = true
            numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return numbers
    }

    private final class Database {
        private var handle: OpaquePointer?
        private var take: OpaquePointer?
        private var give: OpaquePointer?

        init(_ path: String, synchronous: String) {
            precondition(sqlite3_open(path, &handle) == SQLITE_OK, "the database does not open")
            run("PRAGMA journal_mode = WAL")
            run("PRAGMA synchronous = \(synchronous)")
            run("CREATE TABLE accounts (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL CHECK (balance >= 0))")
            take = prepare("UPDATE accounts SET balance = balance - ?1 WHERE id = ?2 AND balance >= ?1")
            give = prepare("UPDATE accounts SET balance = balance + ?1 WHERE id = ?2")
        }

        func fill(_ count: Int) {
            run(
                """
                WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(count))
                INSERT INTO accounts SELECT i, 1000000000 FROM n
                """)
        }

        /// Transfers an amount between two accounts, in a transaction.
        func transfer(_ numbers: [Int64]) {
            precondition(numbers.count == 3, "the request has no two accounts and an amount")
            run("BEGIN IMMEDIATE")
            update(take, numbers[2], numbers[0])
            update(give, numbers[2], numbers[1])
            run("COMMIT")
        }

        private func update(_ statement: OpaquePointer?, _ amount: Int64, _ id: Int64) {
            sqlite3_bind_int64(statement, 1, amount)
            sqlite3_bind_int64(statement, 2, id)
            precondition(sqlite3_step(statement) == SQLITE_DONE && sqlite3_changes(handle) == 1, "a transfer failed")
            sqlite3_reset(statement)
        }

        private func prepare(_ text: String) -> OpaquePointer? {
            var statement: OpaquePointer?
            precondition(sqlite3_prepare_v2(handle, text, -1, &statement, nil) == SQLITE_OK, text)
            return statement
        }

        private func run(_ text: String) {
            precondition(sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK, text)
        }
    }
}
