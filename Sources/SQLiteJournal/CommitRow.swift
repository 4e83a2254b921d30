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
        // One bit for each column, in their order.
        let nulls = (commit.input == nil ? 2 : 0) | (partial ? 0 : 8) | (commit.idempotency == nil ? 16 : 0)
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
                if nulls & 1 << index != 0 {
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
    static func record(of space: SpaceName, in row: Statement, at path: String) throws(JournalFailure) -> CommitRecord {
        let facts = try facts(of: space, in: row, at: path)
        let key = row.bytesOrNil(6).map { String(decoding: $0, as: UTF8.self) }
        return CommitRecord(
            space: space, version: version(in: row), at: Timestamp(microseconds: Int64(row.integer(1))), action: row.text(2),
            input: row.bytesOrNil(3), facts: facts,
            idempotency: key.map { Idempotency(key: $0, fingerprint: UInt64(bitPattern: Int64(row.integer(7)))) })
    }

    static func version(in row: Statement) -> Int {
        row.integer(0)
    }

    /// What the commit changed, if the row is as its sum says that it was written.
    static func facts(of space: SpaceName, in row: Statement, at path: String) throws(JournalFailure) -> [Fact] {
        if !row.isNull(8) {
            var sum = Checksum()
            sum.add(version(in: row))
            sum.add(row.integer(1))
            for column in 2...6 as ClosedRange<Int32> { row.add(column, to: &sum) }
            sum.add(row.integer(7))
            guard sum.value == row.integer(8) else {
                throw .damaged(path, "commit \(version(in: row)) of the space \(space) is not as it was written")
            }
        }
        do {
            return try FactsText.read(row.bytes(4), partial: row.bytesOrNil(5))
        } catch {
            throw .damaged(path, "commit \(version(in: row)) of the space \(space) cannot be read (\(error))")
        }
    }
}
