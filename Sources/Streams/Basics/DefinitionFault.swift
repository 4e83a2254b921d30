public import JSON

/// Something wrong with a definition: where, and what would be right.
public struct DefinitionFault: Hashable, Sendable, CustomStringConvertible {
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

extension [DefinitionFault] {
    /// Adds others, but none of a place of which something is said already: that would be the same fault once more.
    mutating func add(_ others: [DefinitionFault]) {
        let known = Set(map(\.pointer))
        self += others.filter { !known.contains($0.pointer) }
    }
}

/// All that is wrong with a document, in its order, and then what is wrong with it among others; never nothing.
public struct DefinitionFaults: Error, Hashable, Sendable, CustomStringConvertible {
    /// The faults.
    public let all: [DefinitionFault]

    /// All of them, a line each.
    public var description: String { all.map { "\($0.pointer): \($0.description)" }.joined(separator: "\n") }
}
