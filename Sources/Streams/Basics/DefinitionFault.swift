package import JSON
import StateModel

/// An error in a definition, with its place and the correction.
package struct DefinitionFault: Hashable, Sendable, CustomStringConvertible {
    /// The place in the document.
    package let pointer: JSONPointer
    /// The error and its correction.
    package let description: String
    /// The allowed names, if they can be listed.
    package let allowed: [String]

    init(_ description: String, at pointer: JSONPointer, allowed: [String] = []) {
        self.pointer = pointer
        self.description = description
        self.allowed = allowed
    }

    /// The fault of a parameter of the view that is named at a place.
    init(_ fault: ParameterFault, of view: JSONPointer) {
        self.init(
            fault.description, at: JSONPointer(view.tokens.dropLast() + ["parameters"] + fault.pointer.tokens),
            allowed: fault.allowed)
    }
}

extension [DefinitionFault] {
    /// Adds faults, except at places that already have one: those would report the same error twice.
    mutating func add(_ others: [DefinitionFault]) {
        let known = Set(map(\.pointer))
        self += others.filter { !known.contains($0.pointer) }
    }
}

/// The faults of a document: first its own in document order, then those in relation to other definitions. Never empty.
package struct DefinitionFaults: Error, Hashable, Sendable, CustomStringConvertible {
    /// The faults.
    package let all: [DefinitionFault]

    /// The faults, one line each.
    package var description: String { all.map { "\($0.pointer): \($0.description)" }.joined(separator: "\n") }
}
