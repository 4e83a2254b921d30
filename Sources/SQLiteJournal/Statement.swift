internal import CSQLite
internal import StateStore

/// A statement that was compiled once and runs often. Columns count from 0, what is bound from 1, as SQLite has it.
@safe
final class Statement {
    private let connection: Connection
    private let handle: OpaquePointer

    init(_ connection: Connection, _ sql: String) throws(JournalFailure) {
        self.connection = connection
        unsafe handle = try unsafe connection.prepare(sql)
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    /// What can be bound. SQLite copies it.
    enum Value {
        case integer(Int)
        case text(String)
        case bytes([UInt8])
        case null
    }

    /// Binds all that it takes, in order.
    func bind(_ values: Value...) {
        bind(all: values)
    }

    /// Runs it for what it does.
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

    /// Binds text that stays where it is until the statement has run.
    @unsafe
    func bind(_ place: Int32, lent text: UnsafeBufferPointer<UInt8>) {
        unsafe text.withMemoryRebound(to: CChar.self) { text in
            _ = unsafe sqlite3_bind_text(handle, place, text.baseAddress, Int32(text.count), nil)
        }
    }

    @unsafe
    private func bind(_ place: Int32, copying text: UnsafeBufferPointer<UInt8>) {
        // SQLITE_TRANSIENT, a macro that is not imported. No text without an address, which would be bound as NULL.
        let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        guard let start = text.baseAddress else {
            unsafe sqlite3_bind_text(handle, place, "", 0, transient)
            return
        }
        unsafe start.withMemoryRebound(to: CChar.self, capacity: text.count) { start in
            _ = unsafe sqlite3_bind_text(handle, place, start, Int32(text.count), transient)
        }
    }

    /// Goes to the next row; whether there is one. After the last it is ready to run again.
    func step() throws(JournalFailure) -> Bool {
        let code = unsafe sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        unsafe sqlite3_reset(handle)
        guard code == SQLITE_DONE else { throw connection.failure(code) }
        return false
    }

    /// Runs it if it is a `COMMIT`, whose failures mean something else.
    func commit() throws(JournalFailure) {
        let code = unsafe sqlite3_step(handle)
        unsafe sqlite3_reset(handle)
        guard code == SQLITE_DONE else { throw connection.commitFailure(code) }
    }

    /// Leaves the rows that were not looked at.
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

    /// Adds a column to a sum.
    func add(_ column: Int32, to sum: inout Checksum) {
        if isNull(column) { sum.add(-1) } else { unsafe sum.add(Span(_unsafeElements: lent(column))) }
    }

    /// The bytes of a column, which are there until the next step.
    @unsafe
    private func lent(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
        // The address first: asking for the size of a number would turn it into text (sqlite.org/c3ref/column_blob.html).
        let start = unsafe sqlite3_column_blob(handle, column)
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: start == nil ? 0 : count)
    }

    func bytesOrNil(_ column: Int32) -> [UInt8]? {
        isNull(column) ? nil : bytes(column)
    }

    func text(_ column: Int32) -> String {
        String(decoding: bytes(column), as: UTF8.self)
    }
}
