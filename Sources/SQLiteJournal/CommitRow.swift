internal import JSON
internal import StateStore

/// A commit as a row. Its columns are written one behind the other into one buffer, which is kept from row to row.
struct CommitRow: ~Copyable {
    static let columns = "version, at, action, input, changed, partial, key, fingerprint, sum"

    private var buffer: [UInt8] = []
    /// Where the columns end: action, input, changed, partial, key.
    private var ends: [Int] = []

    /// Adds a commit through a statement that takes the space and then the columns; how many bytes it has.
    mutating func insert(_ commit: CommitRecord, space: Int, by statement: Statement) throws(JournalFailure) -> Int {
        let partial = write(commit)
        let isNull = [false, commit.input == nil, false, !partial, commit.idempotency == nil]
        let fingerprint = Int(truncatingIfNeeded: commit.idempotency?.fingerprint ?? 0)
        var sum = Checksum()
        sum.add(commit.version)
        sum.add(Int(commit.at.microseconds))
        statement.bind(1, space)
        statement.bind(2, commit.version)
        statement.bind(3, Int(commit.at.microseconds))
        let ends = ends
        // What is lent stays where it is until the statement has run.
        return try unsafe buffer.withUnsafeBufferPointer { bytes throws(JournalFailure) in
            var start = 0
            for index in 0..<5 {
                let text = unsafe UnsafeBufferPointer(rebasing: bytes[start..<ends[index]])
                start = ends[index]
                if isNull[index] {
                    sum.add(-1)
                    statement.bindNull(Int32(4 + index))
                } else {
                    unsafe sum.add(Span(_unsafeElements: text))
                    unsafe statement.bind(Int32(4 + index), lent: text)
                }
            }
            sum.add(fingerprint)
            if commit.idempotency == nil { statement.bindNull(9) } else { statement.bind(9, fingerprint) }
            statement.bind(10, sum.value)
            while try statement.step() {}
            return bytes.count
        }
    }

    /// Fills the buffer; whether something changed by entry.
    private mutating func write(_ commit: CommitRecord) -> Bool {
        buffer.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        buffer.append(contentsOf: commit.action.utf8)
        ends.append(buffer.count)
        if let input = commit.input { buffer.append(contentsOf: input) }
        ends.append(buffer.count)
        // The buffer moves into the writer and back, so that it is never copied.
        var writer = JSONWriter(appendingTo: buffer, depth: FactsText.depthLimit)
        buffer = []
        let partial = FactsText.write(commit.facts, to: &writer)
        ends.append(writer.bytes.count)
        if !partial.isEmpty { partial.write(to: &writer) }
        ends.append(writer.bytes.count)
        buffer = writer.bytes
        _ = consume writer
        if let idempotency = commit.idempotency { buffer.append(contentsOf: idempotency.key.utf8) }
        ends.append(buffer.count)
        return !partial.isEmpty
    }

    /// The commit in the row that a statement is at.
    static func record(of space: SpaceName, in statement: Statement, at path: String) throws(JournalFailure) -> CommitRecord {
        let row = try Kept(statement, of: space, at: path)
        return CommitRecord(
            space: space, version: row.version, at: row.at, action: String(decoding: row.action, as: UTF8.self), input: row.input,
            facts: try row.facts(of: space, at: path),
            idempotency: row.key.map { Idempotency(key: String(decoding: $0, as: UTF8.self), fingerprint: row.fingerprint) })
    }

    /// A row as it was read, and as its sum says that it was written.
    struct Kept {
        let version: Int
        let at: Timestamp
        let action: [UInt8]
        let input: [UInt8]?
        let changed: [UInt8]
        let partial: [UInt8]?
        let key: [UInt8]?
        let fingerprint: UInt64

        init(_ statement: Statement, of space: SpaceName, at path: String) throws(JournalFailure) {
            version = statement.integer(0)
            at = Timestamp(microseconds: Int64(statement.integer(1)))
            action = statement.bytes(2)
            input = statement.bytesOrNil(3)
            changed = statement.bytes(4)
            partial = statement.bytesOrNil(5)
            key = statement.bytesOrNil(6)
            fingerprint = UInt64(bitPattern: Int64(statement.integer(7)))
            guard !statement.isNull(8) else { return }
            var sum = Checksum()
            sum.add(version)
            sum.add(Int(at.microseconds))
            for text in [action, input, changed, partial, key] { sum.add(text) }
            sum.add(Int(truncatingIfNeeded: fingerprint))
            guard sum.value == statement.integer(8) else {
                throw .damaged(path, "commit \(version) of the space \(space) is not as it was written")
            }
        }

        /// What it changed.
        func facts(of space: SpaceName, at path: String) throws(JournalFailure) -> [Fact] {
            do {
                return try FactsText.read(changed, partial: partial)
            } catch {
                throw .damaged(path, "commit \(version) of the space \(space) cannot be read (\(error))")
            }
        }
    }
}
