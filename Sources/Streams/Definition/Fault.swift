public import JSON

/// Something wrong with a definition: where, and what would be right.
public struct Fault: Hashable, Sendable, CustomStringConvertible {
    /// Where in the document.
    public let pointer: JSONPointer
    /// What is wrong, and what would be right.
    public let description: String
    /// What would be allowed, where that can be listed.
    public let allowed: [String]

    init(_ description: String, at pointer: JSONPointer, allowed: [String] = []) {
        self.pointer = pointer
        self.description = description
        self.allowed = allowed
    }
}

/// All that is wrong with a document, in its order; never nothing.
public struct Faults: Error, Hashable, Sendable, CustomStringConvertible {
    /// The faults.
    public let all: [Fault]

    /// All of them, a line each.
    public var description: String { all.map { "\($0.pointer): \($0.description)" }.joined(separator: "\n") }
}
