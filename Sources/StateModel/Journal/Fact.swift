/// The new value of a variable, or of one entry of a table.
///
/// The value of a whole table is a JSON object of its entries. No entry is `null`, so a journal can store a whole table
/// by entry.
package struct Fact: Hashable, Sendable {
    /// The variable, as `feature.name`. A name that begins with `~` is memory: `~streams.total` is what the definition
    /// `total` remembers.
    package let variable: String
    /// The key of the changed entry; nil if the fact replaces the whole variable.
    package let entry: String?
    /// The new value as JSON; nil for a removed entry.
    package let value: [UInt8]?

    /// Creates a fact.
    package init(variable: String, entry: String? = nil, value: [UInt8]?) {
        self.variable = variable
        self.entry = entry
        self.value = value
    }
}

extension Fact {
    /// Returns true if a variable is the memory of a remembering operator.
    package static func isMemory(_ variable: String) -> Bool { variable.utf8.first == UInt8(ascii: "~") }

    /// Returns true if a variable says up to which edition the state of a feature was migrated: `~~board`.
    package static func isLevel(_ variable: String) -> Bool { variable.utf8.starts(with: "~~".utf8) }

    /// The name of a variable that clients see. State of a feature whose name an earlier one had is `board.cards~2` in
    /// facts, and `board.cards` to clients.
    package static func publicName(_ variable: String) -> String {
        guard let mark = variable.utf8.firstIndex(of: UInt8(ascii: "~")), mark != variable.startIndex else {
            return variable
        }
        return String(variable[..<mark])
    }

    /// The number of bytes of the name, the key and the value.
    package var size: Int { variable.utf8.count + (entry?.utf8.count ?? 0) + (value?.count ?? 0) }

    /// True if the fact alone leaves a variable nil or a table without rows.
    package var isEmptyState: Bool {
        guard let value else { return true }
        return entry == nil && (value.elementsEqual("null".utf8) || value.elementsEqual("{}".utf8))
    }
}
