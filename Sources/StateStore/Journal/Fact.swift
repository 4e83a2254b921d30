/// What a commit says of one variable: its new value or, for a collection that changed by entry, the new value of one entry.
///
/// The value of a collection as a whole is an object of its entries, and no entry's value is `null`: a journal may tell the same by entry.
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
