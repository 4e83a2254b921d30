internal import JSON
internal import StateStore

/// A row of `answers`: the answer to an idempotency key.
struct AnswerRow {
    static let columns = "key, fingerprint, version, changed, at, sum"

    let key: String
    let answer: StoredAnswer
    let at: Timestamp

    init(key: String, answer: StoredAnswer, at: Timestamp) {
        self.key = key
        self.answer = answer
        self.at = at
    }

    /// Reads the current row of a statement. Throws if it differs from its sum.
    init(_ row: Statement, of space: SpaceName, at path: String) throws(JournalFailure) {
        try self.init(
            key: row.text(0), fingerprint: row.integer(1), version: row.integer(2), changed: row.bytes(3),
            at: row.integer(4), sum: row.isNull(5) ? nil : row.integer(5), of: space, in: path)
    }

    /// A row with these columns. Throws if it differs from its sum.
    init(
        key: String, fingerprint: Int, version: Int, changed: [UInt8], at: Int, sum: Int?, of space: SpaceName,
        in path: String
    ) throws(JournalFailure) {
        self.key = key
        self.at = Timestamp(microseconds: Int64(at))
        do {
            let content = try AnswerContent(changed)
            answer = StoredAnswer(
                fingerprint: UInt64(bitPattern: Int64(fingerprint)), version: version,
                changed: content.changed, result: content.result)
        } catch {
            throw .damaged(path, "the answer to the key \(key) in the space \(space) cannot be read (\(error))")
        }
        guard sum == nil || sum == self.sum(changed) else {
            throw .damaged(path, "the answer to the key \(key) in the space \(space) is not as it was written")
        }
    }

    /// Inserts the row through a statement that takes the space and then the columns.
    func insert(space: Int, by statement: Statement) throws(JournalFailure) {
        let changed = AnswerContent(changed: answer.changed, result: answer.result).text
        try statement.run(
            .integer(space), .text(key), .integer(Int(truncatingIfNeeded: answer.fingerprint)),
            .integer(answer.version), .bytes(changed),
            .integer(Int(at.microseconds)), .integer(sum(changed)))
    }

    private func sum(_ changed: [UInt8]) -> Int {
        var sum = Checksum()
        sum.add(Array(key.utf8))
        sum.add(Int(truncatingIfNeeded: answer.fingerprint))
        sum.add(answer.version)
        sum.add(changed)
        sum.add(Int(at.microseconds))
        return sum.value
    }
}

/// The column `changed` of `answers`: the array of the changed variables or, if the action answered a value, an object
/// with `changed` and `result`. An older program has written arrays only.
struct AnswerContent {
    let changed: [String]
    /// The value that the action answered, as JSON; empty for none.
    let result: [UInt8]

    init(changed: [String], result: [UInt8]) {
        self.changed = changed
        self.result = result
    }

    /// Parses the column.
    init(_ text: [UInt8]) throws(JSONError) {
        guard text.first == UInt8(ascii: "{") else {
            changed = try [String](parsing: text)
            result = []
            return
        }
        self = try JSONReader.read(text.span, depth: CommitText.depthLimit) { reader throws(JSONError) in
            var fields = try reader.fields()
            let content = AnswerContent(
                changed: try fields.required("changed"),
                result: try fields.required("result", as: JSONSlice.self).taken(from: text))
            try reader.end(fields)
            return content
        }
    }

    /// The text of the column.
    var text: [UInt8] {
        var writer = JSONWriter(depth: CommitText.depthLimit)
        guard !result.isEmpty else {
            changed.write(to: &writer)
            return writer.bytes
        }
        writer.object { writer in
            writer.field("changed", changed)
            writer.field("result", written: result)
        }
        return writer.bytes
    }
}
