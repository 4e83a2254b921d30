internal import JSON
internal import StateStore

/// A commit as members of a JSON object, without its space: the form in a batch and in a line of an export.
struct CommitText {
    /// The members, in the order in which they are written. `input`, `partial`, `key`, `fingerprint`, `common`
    /// (0 if absent), `by` (empty if absent) and `withheld` are optional.
    static let names = MemberNames([
        "version", "at", "action", "input", "changed", "partial", "key", "fingerprint", "common", "by",
        "withheld",
    ])
    /// The mandatory members, as bits.
    private static let required: UInt64 = 0b1_0111
    /// Values are nested one level deeper here than in facts alone.
    static let depthLimit = FactsText.depthLimit + 1

    private(set) var version = 0
    private var at = 0
    private var common = 0
    private var by: JSONSlice?
    private var action: JSONSlice?
    private var input: JSONSlice?
    private var changed: JSONSlice?
    private var partial: JSONSlice?
    private var key: JSONSlice?
    private var fingerprint: JSONSlice?
    private var withheld: JSONSlice?

    /// Writes the members.
    static func write(_ commit: CommitRecord, to writer: inout JSONWriter) {
        writer.field(0, of: names, commit.version)
        writer.field(1, of: names, commit.at.microseconds)
        writer.field(2, of: names, commit.action)
        if let input = commit.input { writer.field(3, of: names, written: input) }
        FactsText.write(commit.facts, to: &writer)
        if let idempotency = commit.idempotency {
            writer.field(6, of: names, idempotency.key)
            writer.field(7, of: names, String(idempotency.fingerprint, radix: 16))
        }
        if commit.common != 0 { writer.field(8, of: names, commit.common) }
        if !commit.by.isEmpty { writer.field(9, of: names, commit.by) }
        if !commit.withheld.isEmpty { writer.field(10, of: names, commit.withheld) }
    }

    /// Reads an object of the members. Values are located, and extracted on demand.
    init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.offset
        let seen = try reader.members(of: Self.names) { place, reader throws(JSONError) in
            switch place {
            case 0: version = try reader.value()
            case 1: at = try reader.value()
            case 2: action = try JSONSlice(from: &reader)
            case 3: input = try JSONSlice(from: &reader)
            case 4: changed = try JSONSlice(from: &reader)
            case 5: partial = try JSONSlice(from: &reader)
            case 6: key = try JSONSlice(from: &reader)
            case 7: fingerprint = try JSONSlice(from: &reader)
            case 8: common = try reader.value()
            case 9: by = try JSONSlice(from: &reader)
            default: withheld = try JSONSlice(from: &reader)
            }
        }
        guard seen & Self.required == Self.required else {
            throw JSONError(.refused("must have a version, a time, an action and what changed"), at: start)
        }
    }

    /// The facts of the commit. Precondition: the commit was read from `document`.
    func facts(in document: [UInt8]) throws(JSONError) -> [Fact] {
        guard let changed else { return [] }
        return try FactsText.read(changed, partial: partial, in: document)
    }

    /// The commit as a record. Precondition: the commit was read from `document`.
    func record(of space: SpaceName, in document: [UInt8]) throws(JSONError) -> CommitRecord {
        var idempotency: Idempotency?
        if let key {
            idempotency = Idempotency(
                key: try String(parsing: key.taken(from: document)), fingerprint: try fingerprint(in: document))
        }
        return CommitRecord(
            space: space, version: version, at: Timestamp(microseconds: Int64(at)),
            action: try text(action, in: document),
            input: input?.taken(from: document), facts: Facts(try facts(in: document)), idempotency: idempotency,
            common: common, by: try text(by, in: document), withheld: try places(in: document))
    }

    private func places(in document: [UInt8]) throws(JSONError) -> [String] {
        guard let withheld else { return [] }
        return try [String](parsing: withheld.taken(from: document))
    }

    /// The commit without its input and facts. Precondition: the commit was read from `document`.
    func head(in document: [UInt8]) throws(JSONError) -> CommitHead {
        CommitHead(
            version: version, common: common, at: time, by: try text(by, in: document),
            action: try text(action, in: document))
    }

    /// The time of the commit.
    var time: Timestamp { Timestamp(microseconds: Int64(at)) }

    private func text(_ slice: JSONSlice?, in document: [UInt8]) throws(JSONError) -> String {
        guard let slice else { return "" }
        return try String(parsing: slice.taken(from: document))
    }

    /// Reads a fingerprint of up to 16 hexadecimal digits.
    static func fingerprint(_ text: String?, at offset: Int) throws(JSONError) -> UInt64 {
        guard let text, let fingerprint = UInt64(text, radix: 16) else {
            throw JSONError(.refused("fingerprint must be up to 16 hexadecimal digits"), at: offset)
        }
        return fingerprint
    }

    private func fingerprint(in document: [UInt8]) throws(JSONError) -> UInt64 {
        guard let fingerprint else { return try Self.fingerprint(nil, at: 0) }
        return try Self.fingerprint(
            String(parsing: fingerprint.taken(from: document)), at: fingerprint.bytes.lowerBound)
    }
}
