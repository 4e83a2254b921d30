/// The new value of a variable, or of one entry of a table.
///
/// The value of a whole table is a JSON object of its entries. No entry is `null`, so a journal can store a whole table
/// by entry.
public struct Fact: Hashable, Sendable {
    /// The variable, as `feature.name`. A name that begins with `~` is memory: `~streams.total` is what the definition
    /// `total` remembers.
    public let variable: String
    /// The key of the changed entry; nil if the fact replaces the whole variable.
    public let entry: String?
    /// The new value as JSON; nil for a removed entry.
    public let value: [UInt8]?

    /// Creates a fact.
    public init(variable: String, entry: String? = nil, value: [UInt8]?) {
        self.variable = variable
        self.entry = entry
        self.value = value
    }
}

extension Fact {
    /// Returns true if a variable is the memory of a remembering operator.
    public static func isMemory(_ variable: String) -> Bool { variable.utf8.first == UInt8(ascii: "~") }

    /// Returns true if a variable says up to which edition the state of a feature was migrated: `~~board`.
    public static func isLevel(_ variable: String) -> Bool { variable.utf8.starts(with: "~~".utf8) }

    /// The name of a variable that clients see. State of a feature whose name an earlier one had is `board.cards~2` in
    /// facts, and `board.cards` to clients.
    public static func publicName(_ variable: String) -> String {
        guard let mark = variable.utf8.firstIndex(of: UInt8(ascii: "~")), mark != variable.startIndex else {
            return variable
        }
        return String(variable[..<mark])
    }

    /// The number of bytes of the name, the key and the value.
    var size: Int { variable.utf8.count + (entry?.utf8.count ?? 0) + (value?.count ?? 0) }

    /// True if the fact alone leaves a variable nil or a table without rows.
    var isEmptyState: Bool {
        guard let value else { return true }
        return entry == nil && (value.elementsEqual("null".utf8) || value.elementsEqual("{}".utf8))
    }
}
