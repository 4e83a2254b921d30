public import JSON

/// A plain type with named fields: each stored property is one, under its own name. A property of an optional type may be
/// missing in JSON; every other one is required.
///
///     struct Book: Record {
///         var title = ""
///         var pages: Int?
///     }
///
/// A shape says what the properties do not: constraints, defaults, private fields. It names those properties only.
///
///     struct Addition: Record {
///         var productId = 0
///         var quantity = 1
///
///         static let shape = Shape(Addition()) {
///             $0.required(\.productId, .from(1...))
///             $0.optional(\.quantity, .from(1...999))
///         }
///     }
///
/// Each property has a value to begin with: fields are read into a blank record. If one lacks it, the compiler says that
/// the type needs `init()`; with the line `static let shape = Shape(Book())` it says which property lacks it.
public protocol Record: JSONReadable, JSONWritable, SchemaProviding, Equatable, Sendable {
    /// The fields of the record. By default they follow from the stored properties.
    static var shape: Shape<Self> { get }
    /// A blank record, into which fields are read. The compiler writes it if every property has a value to begin with.
    init()
}

extension Record {
    /// The fields of the stored properties, found once by reflection.
    public static var shape: Shape<Self> { DerivedShapes.shape(of: Self.self) }
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
