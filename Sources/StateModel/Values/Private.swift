public import JSON

/// A private value: only views show it. In the commits that clients read, and in all that is made of them, it is null.
///
/// The type is for a whole variable and for the rows of a table. A field of a record is private if its shape says so.
///
///     struct SafeState {
///         let code = Variable(Private("0000"))
///         let notes = Table<String, Private<Note>>()
///     }
public struct Private<Value: JSONConvertible & SchemaProviding & Equatable & Sendable>: Equatable, Sendable {
    /// The value.
    public var value: Value

    /// Makes a value private.
    @inlinable
    public init(_ value: Value) { self.value = value }
}

extension Private: JSONConvertible, SchemaProviding {
    /// Reads the value.
    @inlinable
    public init(from reader: inout JSONReader) throws(JSONError) { self.init(try Value(from: &reader)) }

    /// Writes the value.
    @inlinable
    public func write(to writer: inout JSONWriter) { value.write(to: &writer) }

    /// Returns the value.
    public func tree() throws(JSONError) -> JSON { try value.tree() }

    /// The schema of the value, with the word `private`.
    public static var schema: JSON {
        guard case .object(var schema) = Value.schema else { return ["private": true] }
        schema["private"] = true
        return .object(schema)
    }
}
