public import JSON

/// A value from a short list of names: an enum in Swift, a string in JSON, `enum` in a schema.
///
///     enum Size: String, Choice { case small, medium, large }
public protocol Choice: JSONConvertible, SchemaProviding, Hashable, Sendable, CaseIterable, RawRepresentable
where RawValue == String {}

extension Choice {
    /// Reads one of the names.
    public init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.offset
        guard let choice = Self(rawValue: try reader.string()) else {
            throw JSONError(
                .refused("must be one of \(Self.allCases.map(\.rawValue).joined(separator: ", "))"), at: start)
        }
        self = choice
    }

    /// Writes the name.
    public func write(to writer: inout JSONWriter) { writer.string(rawValue) }

    /// Returns the name.
    public func tree() throws(JSONError) -> JSON { .string(rawValue) }

    /// The names.
    public static var schema: JSON {
        ["title": .string("\(Self.self)"), "type": "string", "enum": .array(allCases.map { .string($0.rawValue) })]
    }
}
