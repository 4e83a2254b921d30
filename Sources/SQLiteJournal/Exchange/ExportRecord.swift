internal import JSON
internal import StateStore

/// A line of an export: a JSON object of one of five kinds.
///
/// A commit: `{"space": "main", "version": 2, "at": 1700000000000000, "action": "cart/add", "input": {…}, "changed":
/// {"cart.orders": {"7": {…}}, "cart.count": 1}, "partial": ["cart.orders"], "key": "k", "fingerprint": "00f3…"}`. `at`
/// is in microseconds since 1970. `input`, `partial`, `key`, `fingerprint`, `common` and `by` are optional. The commits
/// of a space are in order without a gap, after version 0 or after `oldest`.
///
/// If the oldest commits are not stored, the state at the version `snapshot`, the oldest that can be read, precedes the
/// others: `{"space": "main", "format": 2, "snapshot": 120, "oldest": 120, "changed": {…}, "partial": […], "since":
/// {"cart.orders": {"7": 80}}, "made": {"version": 120, "at": …, "action": "cart/add", "changed": {}}}`, in as many
/// lines as it takes. `since` has the version that set each value, where it is known; `made` is the commit that made
/// the state, without its facts; only the first line has it. Lines of format 1 have neither, and no `format`.
///
/// If the last commit left work for effects: `{"space": "main", "work": true}`. If the space has an alarm: `{"space":
/// "main", "alarm": 1700000000000000}`.
///
/// After the commits, an answer that no commit contains, or that has a `result`: `{"space": "main", "answer": "k",
/// "fingerprint": "00f3…", "version": 3, "changed": ["cart.orders"], "at": …}`.
///
/// The first line of an export also has `"export": 3`, the last one `"lines"`, the number of lines. Lines of an older
/// program have neither.
enum ExportRecord {
    case commit(CommitRecord)
    case snapshot(space: SpaceName, Base)
    case answer(space: SpaceName, AnswerRow)
    case work(space: SpaceName)
    case alarm(space: SpaceName, Timestamp)

    /// The newest format of lines.
    static let format = 2
    /// The format of an export as a whole.
    static let exportFormat = 3

    /// The members of the first and the last line of an export.
    struct LineFrame {
        /// True for the first line.
        var begins = false
        /// The number of lines; nil but for the last.
        var lines: Int?
    }

    /// Rows of the oldest state of a space.
    struct Base {
        let version: Int
        let oldest: Int
        /// Rows of variables. Each is either there as a whole or by entry.
        let rows: [(fact: Fact, since: Int?)]
        /// The commit that made the state, without its facts; nil if it is not stored.
        let made: CommitRecord?
    }

    /// The line, without the line break.
    func text(_ frame: LineFrame = LineFrame()) -> [UInt8] {
        var writer = JSONWriter(depth: CommitText.depthLimit)
        writer.object { writer in
            switch self {
            case .commit(let commit):
                writer.field("space", commit.space.description)
                CommitText.write(commit, to: &writer)
            case .snapshot(let space, let base):
                writer.field("space", space.description)
                writer.field("format", Self.format)
                writer.field("snapshot", base.version)
                writer.field("oldest", base.oldest)
                FactsText.write(Facts(base.rows.map(\.fact)), to: &writer)
                let since = base.rows.compactMap { row in
                    row.since.map { since in
                        Fact(variable: row.fact.variable, entry: row.fact.entry, value: Array("\(since)".utf8))
                    }
                }
                if !since.isEmpty {
                    writer.field("since") { FactsText.write(changed: Facts(since), to: &$0) }
                }
                if let made = base.made {
                    writer.field("made") { $0.object { CommitText.write(made, to: &$0) } }
                }
            case .alarm(let space, let at):
                writer.field("space", space.description)
                writer.field("alarm", at.microseconds)
            case .answer(let space, let row):
                writer.field("space", space.description)
                writer.field("answer", row.key)
                writer.field("fingerprint", String(row.answer.fingerprint, radix: 16))
                writer.field("version", row.answer.version)
                writer.field("changed", row.answer.changed)
                if !row.answer.result.isEmpty {
                    writer.field("answered", true)
                    writer.field("result", written: row.answer.result)
                }
                writer.field("at", row.at.microseconds)
            case .work(let space):
                writer.field("space", space.description)
                writer.field("work", true)
            }
            if frame.begins { writer.field("export", Self.exportFormat) }
            if let lines = frame.lines { writer.field("lines", lines) }
        }
        return writer.bytes
    }

    /// The members of a line. `frame` gets those of the first and the last line.
    init(_ text: [UInt8], _ frame: inout LineFrame) throws(JSONError) {
        var found = LineFrame()
        defer { frame = found }
        self = try JSONReader.read(text.span, depth: CommitText.depthLimit) { reader throws(JSONError) in
            let start = reader.offset
            var fields = try reader.fields()
            guard let space = SpaceName(try fields.required("space", as: String.self)) else {
                throw fields.refused(
                    "space", "must be a letter or a digit, then up to 127 letters, digits, '.', '_' or '-'")
            }
            let line: ExportRecord
            if let format = try fields.optional("format", as: Int.self), !(1...Self.format).contains(format) {
                throw fields.refused(
                    "format", "is \(format), of a newer Headwater (this one knows \(Self.format)). Use that one")
            }
            if let version = try fields.optional("snapshot", as: Int.self) {
                let oldest = try fields.required("oldest", as: Int.self)
                guard oldest >= 0, oldest <= version else {
                    throw fields.refused("oldest", "must be from 0 to \(version)")
                }
                let changed = try fields.required("changed", as: JSONSlice.self)
                let partial = try fields.optional("partial", as: JSONSlice.self)
                let facts = try FactsText.read(changed, partial: partial, in: text)
                let since = try fields.optional("since", as: JSONSlice.self)
                let made = try fields.optional("made", as: JSONSlice.self)?.taken(from: text)
                line = .snapshot(
                    space: space,
                    Base(
                        version: version, oldest: oldest,
                        rows: try Self.rows(facts, since, partial, in: text, upTo: version, at: start),
                        made: try made.map { made throws(JSONError) in
                            try JSONReader.read(made.span, depth: CommitText.depthLimit) { reader throws(JSONError) in
                                try CommitText(from: &reader).record(of: space, in: made)
                            }
                        }))
            } else if let key = try fields.optional("answer", as: String.self) {
                let fingerprint = try CommitText.fingerprint(fields.required("fingerprint"), at: start)
                let version = try fields.required("version", as: Int.self)
                let changed = try fields.required("changed", as: [String].self)
                // The value may be null.
                let isAnswered = try fields.optional("answered", as: Bool.self) ?? false
                let answer = StoredAnswer(
                    fingerprint: fingerprint, version: version, changed: changed,
                    result: isAnswered ? try fields.required("result", as: JSONSlice.self).taken(from: text) : [])
                line = .answer(
                    space: space,
                    AnswerRow(key: key, answer: answer, at: Timestamp(microseconds: try fields.required("at"))))
            } else if let hasWork = try fields.optional("work", as: Bool.self) {
                guard hasWork else { throw fields.refused("work", "must be true, or left out") }
                line = .work(space: space)
            } else if let alarm = try fields.optional("alarm", as: Int64.self) {
                let time = Timestamp(microseconds: alarm)
                guard (Timestamp.earliest...Timestamp.latest).contains(time) else {
                    throw fields.refused("alarm", "must be a time of the years 1 to 9999")
                }
                line = .alarm(space: space, time)
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
                        facts: Facts(try FactsText.read(changed, partial: partial, in: text)), idempotency: idempotency,
                        common: try fields.optional("common") ?? 0, by: try fields.optional("by") ?? "",
                        withheld: try fields.optional("withheld") ?? []))
            }
            if let format = try fields.optional("export", as: Int.self) {
                guard (1...Self.exportFormat).contains(format) else {
                    throw fields.refused(
                        "export",
                        "is \(format), of a newer Headwater (this one knows \(Self.exportFormat)). Use that one")
                }
                found.begins = true
            }
            found.lines = try fields.optional("lines", as: Int.self)
            try reader.end(fields)
            return line
        }
    }

    /// The facts with the versions of `since`, which has the same form as `changed`.
    private static func rows(
        _ facts: [Fact], _ since: JSONSlice?, _ partial: JSONSlice?, in text: [UInt8], upTo version: Int,
        at offset: Int
    ) throws(JSONError) -> [(fact: Fact, since: Int?)] {
        guard let since else { return facts.map { ($0, nil) } }
        var versions: [ByteString: [ByteString: Int]] = [:]
        for fact in try FactsText.read(since, partial: partial, in: text) {
            guard let value = fact.value else { continue }
            let made = try Int(parsing: value)
            guard (1...max(1, version)).contains(made) else {
                throw JSONError(
                    .refused("must be from 1 to \(version)"), at: offset, pointer: JSONPointer(["since"]))
            }
            versions[ByteString(fact.variable), default: [:]][
                ByteString(String(decoding: StateRow.entry(fact.entry), as: UTF8.self))] = made
        }
        return facts.map { fact in
            let entry = ByteString(String(decoding: StateRow.entry(fact.entry), as: UTF8.self))
            return (fact, versions[ByteString(fact.variable)]?[entry])
        }
    }
}
