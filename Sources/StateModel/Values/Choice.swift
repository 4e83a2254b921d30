public import JSON

/// A value from a short list of names: an enum in Swift, a string in JSON, `enum` in a schema.
///
///     enum Size: String, Choice { case small, medium, large }
///
/// It groups the rows of an index too; as an order of an index it is that of the names.
public protocol Choice: JSONConvertible, SchemaProviding, IndexValue, Hashable, Sendable, CaseIterable, RawRepresentable
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

    /// Appends the name, in the order of its UTF-8.
    public func append(to place: inout IndexedPlace) { rawValue.append(to: &place) }

    /// The names.
    public static var schema: JSON {
        ["title": .string("\(Self.self)"), "type": "string", "enum": .array(allCases.map { .string($0.rawValue) })]
    }
}
