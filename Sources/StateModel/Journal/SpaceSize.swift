import JSON

/// The size of the stored state of a space: the rows of its tables, and the bytes of its rows, their keys and its other
/// values. Rows in memory only, and the memory of operators, are left out.
package struct SpaceSize: Hashable, Sendable {
    /// The number of rows.
    package var rows: Int
    /// The number of bytes.
    package var bytes: Int

    package init(rows: Int = 0, bytes: Int = 0) {
        self.rows = rows
        self.bytes = bytes
    }

    /// The bytes of a row beside its key and its value: quotes, a colon and a comma.
    private static let bytesBesideRow = 4

    package static func row(_ key: String, _ value: [UInt8]?) -> SpaceSize {
        guard let value else { return SpaceSize() }
        return SpaceSize(rows: 1, bytes: key.utf8.count + bytesBesideRow + value.count)
    }

    package static func + (one: SpaceSize, other: SpaceSize) -> SpaceSize {
        SpaceSize(rows: one.rows + other.rows, bytes: one.bytes + other.bytes)
    }

    package static func - (one: SpaceSize, other: SpaceSize) -> SpaceSize {
        SpaceSize(rows: one.rows - other.rows, bytes: one.bytes - other.bytes)
    }

    /// The size of the facts of variables of which the journal has more than one fact at most for each entry, and the whole
    /// of a table before its entries. `isTable` tells the tables by their name in facts.
    package static func size(of facts: [Fact], isTable: (String) -> Bool) -> SpaceSize {
        var variables: [String: [String?: SpaceSize]] = [:]
        for fact in facts where !Fact.isMemory(fact.variable) {
            if let entry = fact.entry {
                variables[fact.variable, default: [:]][entry] = row(entry, fact.value)
            } else if isTable(fact.variable), case .object(let rows)? = fact.value.flatMap({ try? JSON(parsing: $0) }) {
                variables[fact.variable] = [:]
                for member in rows {
                    variables[fact.variable]?[member.key] = row(member.key, (try? member.value.json()) ?? [])
                }
            } else {
                variables[fact.variable] = [nil: SpaceSize(rows: 0, bytes: fact.value?.count ?? 0)]
            }
        }
        return variables.values.reduce(SpaceSize()) { sum, sizes in sizes.values.reduce(sum, +) }
    }
}
