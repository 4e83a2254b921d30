/// The new value of one variable or, in a collection that changed by entry, of one entry.
///
/// The value of a whole collection is a JSON object of its entries. No entry is `null`, so a journal may store a whole
/// by entry.
public struct Fact: Hashable, Sendable {
    /// The variable, as `feature.name`.
    public let variable: String
    /// The key of the entry that changed; nil where the variable as a whole did.
    public let entry: String?
    /// The new value as JSON; nil for an entry that went.
    public let value: [UInt8]?

    /// The fact that a variable, or one of its entries, has a new value.
    public init(variable: String, entry: String? = nil, value: [UInt8]?) {
        self.variable = variable
        self.entry = entry
        self.value = value
    }
}

extension Fact {
    /// The number of bytes of its texts.
    var size: Int { variable.utf8.count + (entry?.utf8.count ?? 0) + (value?.count ?? 0) }

    /// True if the fact alone leaves a variable nil or a table without rows.
    var isEmptyState: Bool {
        guard let value else { return true }
        return entry == nil && (value.elementsEqual("null".utf8) || value.elementsEqual("{}".utf8))
    }
}
