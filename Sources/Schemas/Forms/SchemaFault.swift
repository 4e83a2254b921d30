package import JSON

/// A fault of a schema, or of a value under one.
package struct SchemaFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The place in the document.
    package let pointer: JSONPointer
    /// The fault and its remedy.
    package let description: String
    /// The description without parts of the value.
    let bare: String
    /// The allowed names or values, if they can be listed.
    package let allowed: [String]

    /// A fault; `bare` is the description without parts of the value, if it has some.
    init(_ description: String, bare: String? = nil, at pointer: JSONPointer, allowed: [String] = []) {
        (self.description, self.pointer, self.allowed) = (description, pointer, allowed)
        self.bare = bare ?? description
    }
}

/// The limits on the size of schemas.
package enum SchemaLimits {
    /// Nesting depth of a schema, with the named types that it refers to.
    package static let nesting = 32
    /// Schemas within a schema, with those of named types at each place that refers to them.
    package static let parts = 4_096
    /// Values that the defaults of a schema put in place of one value.
    package static let filling = 65_536
    /// Faults that are listed.
    package static let faults = 64
}
