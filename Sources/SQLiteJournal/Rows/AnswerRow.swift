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
        key = row.text(0)
        at = Timestamp(microseconds: Int64(row.integer(4)))
        let changed = row.bytes(3)
        do {
            let content = try AnswerContent(changed)
            answer = StoredAnswer(
                fingerprint: UInt64(bitPattern: Int64(row.integer(1))), version: row.integer(2),
                changed: content.changed, result: content.result)
        } catch {
            throw .damaged(path, "the answer to the key \(key) in the space \(space) cannot be read (\(error))")
        }
        guard row.isNull(5) || row.integer(5) == sum(changed) else {
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
