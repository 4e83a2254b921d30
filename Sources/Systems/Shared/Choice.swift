import JSON
import StateStore

/// A value from a short list of names: an enum in JSON.
protocol Choice: JSONConvertible, SchemaProviding, Hashable, Sendable, CaseIterable, RawRepresentable
where RawValue == String {}

extension Choice {
    /// Reads one of the names.
    init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.offset
        guard let choice = Self(rawValue: try reader.value()) else {
            throw JSONError(
                .refused("must be one of \(Self.allCases.map(\.rawValue).joined(separator: ", "))"), at: start)
        }
        self = choice
    }

    /// Writes the name.
    func write(to writer: inout JSONWriter) {
        rawValue.write(to: &writer)
    }

    /// The JSON Schema of the names.
    static var schema: JSON { ["type": "string", "enum": .array(allCases.map { .string($0.rawValue) })] }
}
