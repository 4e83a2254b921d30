import Documents
import JSON
import StateStore

/// The lines that `headwater dev` prints about a save beside its faults: the plan of new queries, and the stored rows that
/// the save changes, drops or does not fit.
struct SaveReport: Sendable {
    /// The lines, without a line break.
    private(set) var lines: [String] = []

    private static let rowsLimit = 3
    private static let textLimit = 100

    /// Adds the plan of the queries that the feature did not have before. `place` returns the file and line of a pointer.
    mutating func add(plan: [JSON], before: [JSON], place: (JSONPointer) -> String) {
        for read in plan where !before.contains(read) {
            guard case .string(let text)? = read["pointer"], let words = Self.words(read),
                let pointer = JSONPointer(text: text)
            else { continue }
            lines.append("plan: \(place(pointer))#\(text) \(words)")
        }
    }

    /// The way of a query to its rows, in words; nil if it reads no rows of a table, or one by its key.
    static func words(_ read: JSON) -> String? {
        if case .string(let index)? = read["index"] { return "finds its rows by the index \(index)" }
        if let shared = read["shared"] { return "finds its rows by an index of its own, \(shared)" }
        guard case .string(let table)? = read["walk"] else { return nil }
        let walk =
            if case .string(let warning)? = read["warning"] { warning } else { "walks all rows of \(table)" }
        return walk + (read["index"].map { ": declare the index \($0)" } ?? "")
    }

    /// Adds what becomes of stored rows.
    mutating func add(_ found: MigrationRehearsal) {
        let report = found.json
        if case .object(let tables)? = report["rows"] {
            for table in tables {
                let counts = ["kept", "changed", "failing"].compactMap { name -> String? in
                    guard let count = table.value[name], count != 0 else { return nil }
                    return "\(count) \(name)"
                }
                guard table.value["changed"] != 0 || table.value["failing"] != 0 else { continue }
                lines.append("rows: \(table.key): \(counts.joined(separator: ", "))")
            }
        }
        if case .array(let examples)? = report["examples"] {
            for one in examples where one["before"] != one["after"] {
                let (before, after) = (Self.shortened(one["before"]), Self.shortened(one["after"]))
                lines.append("rows: \(Self.key(of: one)): \(before) becomes \(after)")
            }
        }
        if case .array(let failing)? = report["failing"] {
            for one in failing {
                let pointer = Self.text(one["pointer"])
                let place = pointer.isEmpty ? "" : ", at \(pointer)"
                lines.append("rows: \(Self.key(of: one))\(place): \(Self.text(one["detail"]))")
            }
        }
        for one in found.repeated {
            lines.append(
                "rows: \(Self.key(of: one)): has the values of \(Self.text(one["other"])) in the unique index \(Self.text(one["index"]))"
            )
        }
    }

    /// Adds that no stored row fails.
    mutating func addFit() { lines.append("rows: all stored rows fit the new schema") }

    /// Adds the stored state that vanishes, with the first rows.
    mutating func add(_ lost: LostState) {
        for part in lost.lost {
            lines.append("lost: \(part.feature).\(part.name): \(part.amount)")
            for row in part.examples.prefix(Self.rowsLimit) {
                let key = row.key.map { " \($0)" } ?? ""
                lines.append("lost: \(part.name)\(key) in \(row.space): \(Self.shortened(row.value))")
            }
        }
    }

    private static func key(of row: JSON) -> String {
        "\(text(row["table"])) \(text(row["key"])) in \(text(row["space"]))"
    }

    private static func text(_ value: JSON?) -> String {
        if case .string(let text)? = value { text } else { "" }
    }

    private static func shortened(_ value: JSON?) -> String {
        let text = "\(value ?? .null)"
        return text.count > textLimit ? text.prefix(textLimit) + "…" : text
    }
}
