public import JSON

/// A plain type with named fields. Its shape defines them once, for decoding, encoding and the schema.
///
///     struct Addition: Record {
///         var productId = 0
///         var quantity = 1
///
///         static let shape = Shape(Addition()) {
///             $0.required("productId", \.productId, .from(1...))
///             $0.optional("quantity", \.quantity, .from(1...999))
///         }
///     }
public protocol Record: JSONReadable, JSONWritable, SchemaProviding, Equatable, Sendable {
    /// The fields of the record.
    static var shape: Shape<Self> { get }
}

extension Record {
    /// Decodes an object with the fields of the shape and no others.
    @inlinable
    public init(from reader: inout JSONReader) throws(JSONError) {
        self = try Self.shape.read(from: &reader)
    }

    /// Writes an object with the fields of the shape, in its order.
    @inlinable
    public func write(to writer: inout JSONWriter) {
        Self.shape.write(self, to: &writer)
    }

    /// Returns an object with the fields of the shape, in its order.
    public func tree() throws(JSONError) -> JSON { try Self.shape.tree(of: self) }

    /// An object with the fields of the shape.
    public static var schema: JSON { shape.schema }
}

/// The input of an action without parameters.
public struct NoInput: Record {
    /// Creates the input.
    public init() {}

    /// No fields.
    public static let shape = Shape(NoInput()) { _ in }
}
