import Synchronization

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
