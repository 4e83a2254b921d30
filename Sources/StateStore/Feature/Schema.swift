public import JSON

/// A type that can say, as a JSON Schema, what its values look like on the wire.
public protocol Described {
    /// The schema.
    static var schema: JSON { get }
}

extension Bool: Described {
    /// A boolean.
    public static var schema: JSON { ["type": "boolean"] }
}

extension Int: Described {
    /// An integer of 64 bits.
    public static var schema: JSON { ["type": "integer", "format": "int64"] }
}

extension String: Described {
    /// A text.
    public static var schema: JSON { ["type": "string"] }
}

extension Decimal: Described {
    /// A number.
    public static var schema: JSON { ["type": "number"] }
}

extension JSON: Described {
    /// Anything.
    public static var schema: JSON { [:] }
}

extension Optional: Described where Wrapped: Described {
    /// The schema of the value, or null.
    public static var schema: JSON { ["anyOf": [Wrapped.schema, ["type": "null"]]] }
}

extension Array: Described where Element: Described {
    /// An array of such values.
    public static var schema: JSON { ["type": "array", "items": Element.schema] }
}

extension Dictionary: Described where Key == String, Value: Described {
    /// An object of such values.
    public static var schema: JSON { ["type": "object", "additionalProperties": Value.schema] }
}
