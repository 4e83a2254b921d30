public import JSON
import Synchronization

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

/// The shapes of the records that have none by hand, each made at its first use.
///
/// Every decoded record asks for its shape, on any thread. So the table is immutable and read without a lock; a new shape
/// makes a new table. The old tables are never released, because a reader may still have one: there are as many as types.
enum DerivedShapes {
    private final class ShapeTable: Sendable {
        let shapes: [ObjectIdentifier: any Sendable & AnyObject]

        init(_ shapes: [ObjectIdentifier: any Sendable & AnyObject]) { self.shapes = shapes }
    }

    private static let table = Atomic<Unmanaged<ShapeTable>>(.passRetained(ShapeTable([:])))
    private static let writing = Mutex(())

    static func shape<Root: Record>(of type: Root.Type) -> Shape<Root> {
        known(type, in: table.load(ordering: .acquiring)) ?? make(type)
    }

    private static func known<Root: Record>(_ type: Root.Type, in table: Unmanaged<ShapeTable>) -> Shape<Root>? {
        table._withUnsafeGuaranteedRef { $0.shapes[ObjectIdentifier(type)] }
            .map { unsafeDowncast($0, to: Shape<Root>.self) }
    }

    /// Makes a shape. A record inside of another makes its own shape within, so the shape is made without the lock; of
    /// two that are made at the same time the first one stays.
    private static func make<Root: Record>(_ type: Root.Type) -> Shape<Root> {
        let made = Shape(Root())
        return writing.withLock { _ in
            let table = table.load(ordering: .acquiring)
            if let shape = known(type, in: table) { return shape }
            var shapes = table._withUnsafeGuaranteedRef { $0.shapes }
            shapes[ObjectIdentifier(type)] = made
            Self.table.store(.passRetained(ShapeTable(shapes)), ordering: .releasing)
            return made
        }
    }
}
