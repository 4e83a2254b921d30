public import JSON

/// A type that describes the JSON form of its values as a JSON Schema. Threads share what is derived from the type.
public protocol SchemaProviding: SendableMetatype {
    /// The type that a client reads the values as: by default the type itself.
    associatedtype Received = Self
    /// The schema.
    static var schema: JSON { get }
}

extension Bool: SchemaProviding {
    /// A boolean.
    public static var schema: JSON { ["type": "boolean"] }
}

extension Int: SchemaProviding {
    /// An integer of 64 bits.
    public static var schema: JSON { ["type": "integer", "format": "int64"] }
}

extension String: SchemaProviding {
    /// A string.
    public static var schema: JSON { ["type": "string"] }
}

extension Decimal: SchemaProviding {
    /// An exact number.
    public static var schema: JSON { ["type": "number", "format": "decimal"] }
}

extension JSON: SchemaProviding {
    /// The empty schema, which accepts every value.
    public static var schema: JSON { [:] }
}

extension Optional: SchemaProviding where Wrapped: SchemaProviding {
    /// The schema of the value, or null.
    public static var schema: JSON { ["anyOf": [Wrapped.schema, ["type": "null"]]] }
}

extension Array: SchemaProviding where Element: SchemaProviding {
    /// An array of such values.
    public static var schema: JSON { ["type": "array", "items": Element.schema] }
}

extension Dictionary: SchemaProviding where Key == String, Value: SchemaProviding {
    /// An object of such values.
    public static var schema: JSON { ["type": "object", "additionalProperties": Value.schema] }
}
