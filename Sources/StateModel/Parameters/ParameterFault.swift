package import JSON

/// The reason that a request cannot have a view with its parameters.
package struct ParameterFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The fault, and what to do.
    package let description: String
    /// The parameter, as a pointer into an object of all parameters.
    package let pointer: JSONPointer
    /// The names or values that are allowed, if they can be listed.
    package let allowed: [String]

    init(_ description: String, at name: String, allowed: [String] = []) {
        self.description = description
        pointer = JSONPointer([name])
        self.allowed = allowed
    }
}
