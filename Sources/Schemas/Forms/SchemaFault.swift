public import JSON

/// A fault of a schema, or of a value under one.
public struct SchemaFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The place in the document.
    public let pointer: JSONPointer
    /// The fault and its remedy.
    public let description: String
    /// The allowed names or values, if they can be listed.
    public let allowed: [String]

    init(_ description: String, at pointer: JSONPointer, allowed: [String] = []) {
        (self.description, self.pointer, self.allowed) = (description, pointer, allowed)
    }
}

/// The limits on the size of schemas.
public enum SchemaLimits {
    /// Nesting depth of a schema, with the named types that it refers to.
    public static let nesting = 32
    /// Schemas within a schema, with those of named types at each place that refers to them.
    public static let parts = 4_096
    /// Values that the defaults of a schema put in place of one value.
    public static let filling = 65_536
    /// Faults that are listed.
    public static let faults = 64
}
