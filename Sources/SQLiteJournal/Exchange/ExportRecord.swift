internal import JSON
internal import StateStore

/// A line of an export: a JSON object of one of four kinds.
///
/// A commit: `{"space": "main", "version": 2, "at": 1700000000000000, "action": "cart/add", "input": {…}, "changed":
/// {"cart.orders": {"7": {…}}, "cart.count": 1}, "partial": ["cart.orders"], "key": "k", "fingerprint": "00f3…"}`. `at`
/// is in microseconds since 1970. `input`, `partial`, `key` and `fingerprint` are optional. The commits of a space are
/// in order without a gap, after version 0 or after `oldest`.
///
/// If the oldest commits are not stored, the state at the version `snapshot` precedes the others: `{"space": "main",
/// "snapshot": 130, "oldest": 120, "changed": {…}, "partial": […]}`, in as many lines as it takes.
///
/// If the last commit left work for effects: `{"space": "main", "work": true}`.
///
/// After the commits, an answer that no commit contains: `{"space": "main", "answer": "k", "fingerprint": "00f3…",
/// "version": 3, "changed": ["cart.orders"], "at": …}`.
enum ExportRecord {
    case commit(CommitRecord)
    case snapshot(space: SpaceName, version: Int, oldest: Int, facts: [Fact])
    case answer(space: SpaceName, AnswerRow)
    case work(space: SpaceName)

    /// The line, without the line break.
    var text: [UInt8] {
        var writer = JSONWriter(depth: CommitText.depthLimit)
        writer.object { writer in
            switch self {
            case .commit(let commit):
                writer.field("space", commit.space.description)
                CommitText.write(commit, to: &writer)
            case .snapshot(let space, let version, let oldest, let facts):
                writer.field("space", space.description)
                writer.field("snapshot", version)
                writer.field("oldest", oldest)
                FactsText.write(Facts(facts), to: &writer)
            case .answer(let space, let row):
                writer.field("space", space.description)
                writer.field("answer", row.key)
                writer.field("fingerprint", String(row.answer.fingerprint, radix: 16))
                writer.field("version", row.answer.version)
                writer.field("changed", row.answer.changed)
                writer.field("at", row.at.microseconds)
            case .work(let space):
                writer.field("space", space.description)
                writer.field("work", true)
            }
        }
        return writer.bytes
    }

    /// The members of a line.
    init(_ text: [UInt8]) throws(JSONError) {
        self = try JSONReader.read(text.span, depth: CommitText.depthLimit) { reader throws(JSONError) in
            let start = reader.offset
            var fields = try reader.fields()
            guard let space = SpaceName(try fields.required("space", as: String.self)) else {
                throw fields.refused(
                    "space", "must be a letter or a digit, then up to 127 letters, digits, '.', '_' or '-'")
            }
            let line: ExportRecord
            if let version = try fields.optional("snapshot", as: Int.self) {
                let oldest = try fields.required("oldest", as: Int.self)
                guard oldest >= 0, oldest <= version else {
                    throw fields.refused("oldest", "must be from 0 to \(version)")
                }
                let changed = try fields.required("changed", as: JSONSlice.self)
                let partial = try fields.optional("partial", as: JSONSlice.self)
                line = .snapshot(
                    space: space, version: version, oldest: oldest,
                    facts: try FactsText.read(changed, partial: partial, in: text))
            } else if let key = try fields.optional("answer", as: String.self) {
                let answer = StoredAnswer(
                    fingerprint: try CommitText.fingerprint(fields.required("fingerprint"), at: start),
                    version: try fields.required("version"),
                    changed: try fields.required("changed"))
                line = .answer(
                    space: space,
                    AnswerRow(key: key, answer: answer, at: Timestamp(microseconds: try fields.required("at"))))
            } else if let hasWork = try fields.optional("work", as: Bool.self) {
                guard hasWork else { throw fields.refused("work", "must be true, or left out") }
                line = .work(space: space)
            } else {
                let version = try fields.required("version", as: Int.self)
                let at = Timestamp(microseconds: try fields.required("at"))
                let action = try fields.required("action", as: String.self)
                let input = try fields.optional("input", as: JSONSlice.self)?.taken(from: text)
                let changed = try fields.required("changed", as: JSONSlice.self)
                let partial = try fields.optional("partial", as: JSONSlice.self)
                var idempotency: Idempotency?
                if let key = try fields.optional("key", as: String.self) {
                    idempotency = Idempotency(
                        key: key, fingerprint: try CommitText.fingerprint(fields.required("fingerprint"), at: start))
                }
                line = .commit(
                    CommitRecord(
                        space: space, version: version, at: at, action: action, input: input,
                        facts: try FactsText.read(changed, partial: partial, in: text), idempotency: idempotency,
                        common: try fields.optional("common") ?? 0, by: try fields.optional("by") ?? ""))
            }
            try reader.end(fields)
            return line
        }
    }
}
