import JSON
import StateStore

/// The encoded parts of a replica: as a value, `{"tasks": {KEY: ROW}, "topic": VALUE}`, or as changes of one.
struct ReplicaContent: Sendable {
    /// The bytes of one part of a snapshot, beyond which another begins.
    static let partBytes = 256 * 1_024

    /// One row of the list that has a replica: `["tasks", KEY, ROW]` or `["topic", VALUE]`.
    private struct EncodedReplicaRow {
        let label: ArraySlice<UInt8>
        /// The key as JSON; nil for a variable.
        let key: ArraySlice<UInt8>?
        let value: ArraySlice<UInt8>

        /// Reads an encoded row, as this server has written it; nil for the row of the identity.
        init?(_ bytes: [UInt8]) {
            guard let label = Self.text(in: bytes, from: 1), label.count > 2 else { return nil }
            self.label = label.dropFirst().dropLast()
            let next = label.endIndex + 1
            let end = bytes.count - 1
            guard next < end else { return nil }
            if bytes[next] == UInt8(ascii: "\""), let key = Self.text(in: bytes, from: next), key.endIndex < end {
                (self.key, value) = (key, bytes[(key.endIndex + 1)..<end])
            } else {
                (key, value) = (nil, bytes[next..<end])
            }
        }

        /// Returns the text at a place, with its quotation marks.
        private static func text(in bytes: [UInt8], from start: Int) -> ArraySlice<UInt8>? {
            guard start < bytes.count, bytes[start] == UInt8(ascii: "\"") else { return nil }
            var place = start + 1
            while place < bytes.count {
                switch bytes[place] {
                case UInt8(ascii: "\""): return bytes[start...place]
                case UInt8(ascii: "\\"): place += 2
                default: place += 1
                }
            }
            return nil
        }
    }

    /// The rows by table and key, both as JSON; nil for a row that is gone.
    private var tables: [ArraySlice<UInt8>: [ArraySlice<UInt8>: ArraySlice<UInt8>?]] = [:]
    /// The values of variables; nil for one that is not shown any more.
    private var values: [ArraySlice<UInt8>: ArraySlice<UInt8>?] = [:]
    /// The number of bytes of all rows.
    private(set) var size = 0

    /// The changes from one value of a replica to another; nil if no earlier value is comparable.
    init?(from base: ViewValue, to value: ViewValue) {
        guard let changes = value.rowChanges(from: base) else { return nil }
        for change in changes {
            guard let row = EncodedReplicaRow(change.row) else { return nil }
            note(row, isThere: change.isAdded)
        }
    }

    private mutating func note(_ row: EncodedReplicaRow, isThere: Bool) {
        let value = isThere ? row.value : nil
        size += row.value.count
        guard let key = row.key else { return values[row.label] = .some(value) }
        tables[row.label, default: [:]][key] = .some(value)
    }

    /// Adds later changes.
    mutating func add(_ later: ReplicaContent) {
        size += later.size
        for (label, rows) in later.tables { tables[label, default: [:]].merge(rows) { _, new in new } }
        for (label, value) in later.values { values[label] = .some(value) }
    }

    /// The changes as JSON.
    var bytes: [UInt8] {
        var bytes = [UInt8(ascii: "{")]
        for (label, rows) in tables.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            Self.begin(label, in: &bytes)
            bytes.append(UInt8(ascii: "{"))
            for (key, row) in rows.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
                bytes += key
                bytes.append(UInt8(ascii: ":"))
                bytes += row ?? Self.null
            }
            bytes.append(UInt8(ascii: "}"))
        }
        for (label, value) in values.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            Self.begin(label, in: &bytes)
            bytes += value ?? Self.null
        }
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    private static let null = Array("null".utf8)[...]

    private static func begin(_ label: ArraySlice<UInt8>, in bytes: inout [UInt8]) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        bytes += label
        bytes += Array("\":".utf8)
    }

    /// Returns a value of a replica in parts, each an object of at most about `partBytes`.
    static func parts(of value: ViewValue) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        var part = [UInt8(ascii: "{")]
        var open: ArraySlice<UInt8>?
        var empty = labels(of: value)
        func close() {
            if open != nil { part.append(UInt8(ascii: "}")) }
            open = nil
        }
        value.forEachRow { bytes in
            guard let row = EncodedReplicaRow(bytes) else { return }
            if part.count > 1, part.count + bytes.count > partBytes {
                close()
                part.append(UInt8(ascii: "}"))
                parts.append(part)
                part = [UInt8(ascii: "{")]
            }
            if open != row.label || row.key == nil {
                close()
                begin(row.label, in: &part)
                if row.key != nil {
                    part.append(UInt8(ascii: "{"))
                    open = row.label
                    empty.remove(String(decoding: row.label, as: UTF8.self))
                }
            } else {
                part.append(UInt8(ascii: ","))
            }
            if let key = row.key {
                part += key
                part.append(UInt8(ascii: ":"))
            }
            part += row.value
        }
        close()
        for label in empty.sorted() {
            begin(Array(label.utf8)[...], in: &part)
            part += Array("{}".utf8)
        }
        part.append(UInt8(ascii: "}"))
        return parts + [part]
    }

    /// The names of the tables of a replica, which the row of its identity has.
    private static func labels(of value: ViewValue) -> Set<String> {
        guard let first = value.firstRow, let identity = try? JSON(parsing: first),
            case .array(let tables)? = identity[3]
        else { return [] }
        return Set(tables.compactMap { if case .string(let label) = $0 { label } else { nil } })
    }
}
