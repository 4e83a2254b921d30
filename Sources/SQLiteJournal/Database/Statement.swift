internal import CSQLite
internal import StateStore

/// A compiled statement that runs many times. As in SQLite, columns count from 0 and parameters from 1.
@safe
final class Statement {
    private let connection: DatabaseConnection
    private let handle: OpaquePointer

    init(_ connection: DatabaseConnection, _ sql: String) throws(JournalFailure) {
        self.connection = connection
        unsafe handle = try unsafe connection.prepare(sql)
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    /// A value to bind. SQLite copies it.
    enum Value {
        case integer(Int)
        case text(String)
        case bytes([UInt8])
        case null
    }

    /// Binds all parameters, in order.
    func bind(_ values: Value...) {
        bind(all: values)
    }

    /// Binds all parameters and runs the statement to its end.
    func run(_ values: Value...) throws(JournalFailure) {
        bind(all: values)
        while try step() {}
    }

    private func bind(all values: [Value]) {
        for (index, value) in values.enumerated() {
            let place = Int32(index + 1)
            switch value {
            case .integer(let integer): bind(place, integer)
            case .text(var text): text.withUTF8 { unsafe bind(place, copying: $0) }
            case .bytes(let bytes): unsafe bytes.withUnsafeBufferPointer { unsafe bind(place, copying: $0) }
            case .null: bindNull(place)
            }
        }
    }

    func bind(_ place: Int32, _ integer: Int) {
        unsafe sqlite3_bind_int64(handle, place, Int64(integer))
    }

    func bindNull(_ place: Int32) {
        unsafe sqlite3_bind_null(handle, place)
    }

    /// Binds text without a copy. Precondition: the memory is valid until the statement has run.
    @unsafe
    func bind(_ place: Int32, lent text: UnsafeBufferPointer<UInt8>) {
        unsafe text.withMemoryRebound(to: CChar.self) { text in
            _ = unsafe sqlite3_bind_text(handle, place, text.baseAddress, Int32(text.count), nil)
        }
    }

    @unsafe
    private func bind(_ place: Int32, copying text: UnsafeBufferPointer<UInt8>) {
        // SQLITE_TRANSIENT, a macro that is not imported. An empty text without an address would be bound as NULL.
        let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        guard let start = text.baseAddress else {
            unsafe sqlite3_bind_text(handle, place, "", 0, transient)
            return
        }
        unsafe start.withMemoryRebound(to: CChar.self, capacity: text.count) { start in
            _ = unsafe sqlite3_bind_text(handle, place, start, Int32(text.count), transient)
        }
    }

    /// Steps to the next row. Returns false after the last; then the statement is ready to run again.
    func step() throws(JournalFailure) -> Bool {
        let code = unsafe sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        unsafe sqlite3_reset(handle)
        guard code == SQLITE_DONE else { throw connection.failure(code) }
        return false
    }

    /// Runs a `BEGIN`. Returns false at once if another process writes now.
    func beginAtOnce() throws(JournalFailure) -> Bool {
        connection.setPatience(milliseconds: 0)
        defer { connection.setPatience(milliseconds: DatabaseConnection.patienceMilliseconds) }
        let code = unsafe sqlite3_step(handle)
        unsafe sqlite3_reset(handle)
        if code & 0xFF == SQLITE_BUSY { return false }
        guard code == SQLITE_DONE else { throw connection.failure(code) }
        return true
    }

    /// Runs a `COMMIT`. Its failures are classified by `JournalFailure(commit:on:at:)`.
    func commit() throws(JournalFailure) {
        let code = unsafe sqlite3_step(handle)
        unsafe sqlite3_reset(handle)
        guard code == SQLITE_DONE else { throw connection.commitFailure(code) }
    }

    /// Skips the remaining rows.
    func reset() {
        unsafe sqlite3_reset(handle)
    }

    func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    func integer(_ column: Int32) -> Int {
        Int(unsafe sqlite3_column_int64(handle, column))
    }

    func bytes(_ column: Int32) -> [UInt8] {
        unsafe [UInt8](lent(column))
    }

    /// The bytes of a column. They are valid until the next step.
    @unsafe
    private func lent(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
        // The address first: asking for the size of a number would turn it into text
        // (sqlite.org/c3ref/column_blob.html).
        let start = unsafe sqlite3_column_blob(handle, column)
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe UnsafeBufferPointer(
            start: start?.assumingMemoryBound(to: UInt8.self), count: start == nil ? 0 : count)
    }

    func bytesOrNil(_ column: Int32) -> [UInt8]? {
        isNull(column) ? nil : bytes(column)
    }

    func text(_ column: Int32) -> String {
        String(decoding: bytes(column), as: UTF8.self)
    }
}
