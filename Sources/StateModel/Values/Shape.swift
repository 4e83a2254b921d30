public import JSON

/// The fields of a record: their names, key paths and constraints. A class, because every decoded record reads the
/// shape, and access to stored properties of a class needs no retain for each of them.
public final class Shape<Root: Sendable>: Sendable {
    /// One field.
    @usableFromInline
    struct RecordField: Sendable {
        @usableFromInline let name: String
        @usableFromInline let isRequired: Bool
        @usableFromInline let schema: JSON
        @usableFromInline let read: @Sendable (inout JSONReader, inout Root) throws(JSONError) -> Void
        @usableFromInline let write: @Sendable (borrowing Root, inout JSONWriter) -> Void
        @usableFromInline let tree: @Sendable (Root) throws(JSONError) -> JSON

        @inlinable
        init(
            name: String, isRequired: Bool, schema: JSON,
            read: @escaping @Sendable (inout JSONReader, inout Root) throws(JSONError) -> Void,
            write: @escaping @Sendable (borrowing Root, inout JSONWriter) -> Void,
            tree: @escaping @Sendable (Root) throws(JSONError) -> JSON
        ) {
            self.name = name
            self.isRequired = isRequired
            self.schema = schema
            self.read = read
            self.write = write
            self.tree = tree
        }
    }

    @usableFromInline let fields: [RecordField]
    /// The names of the fields.
    @usableFromInline let names: MemberNames
    /// One bit for each required field.
    @usableFromInline let required: UInt64
    /// Creates the record with the defaults of its optional fields. It is created rather than copied, because copying
    /// an optional in memory takes about 100 instructions.
    @usableFromInline let blank: @Sendable () -> Root

    /// Creates the shape of records; `blank` provides the defaults of optional fields.
    public init(_ blank: @autoclosure @escaping @Sendable () -> Root, _ describe: (inout ShapeBuilder<Root>) -> Void) {
        var described = ShapeBuilder<Root>()
        describe(&described)
        precondition(described.fields.count <= 64, "a record has at most 64 fields")
        let missing = described.propertiesLeftOut(of: blank())
        precondition(
            missing.isEmpty,
            "\(Root.self) has stored properties that its shape leaves out: \(missing.joined(separator: ", "))")
        fields = described.fields
        names = MemberNames(fields.map(\.name))
        required = fields.enumerated().reduce(0) { $1.element.isRequired ? $0 | 1 << UInt64($1.offset) : $0 }
        self.blank = blank
    }

    @inlinable
    func read(from reader: inout JSONReader) throws(JSONError) -> Root {
        var root = blank()
        let start = reader.offset
        let seen = try reader.members(of: names) { place, reader throws(JSONError) in
            try fields[place].read(&reader, &root)
        }
        guard seen & required == required else { throw missing(seen, from: start) }
        return root
    }

    /// The error for an object that starts at `start` and has only some of its members.
    @usableFromInline
    func missing(_ seen: UInt64, from start: Int) -> JSONError {
        let name = fields[(required & ~seen).trailingZeroBitCount].name
        return JSONError(.missingMember(name), at: start, pointer: JSONPointer([name]))
    }

    @inlinable
    func write(_ root: Root, to writer: inout JSONWriter) {
        writer.object { writer in
            for field in fields {
                writer.field(field.name) { field.write(root, &$0) }
            }
        }
    }

    /// Returns an object with the fields of the record, in their order.
    func tree(of root: Root) throws(JSONError) -> JSON {
        var object = JSON.Object()
        for field in fields { object[field.name] = try field.tree(root) }
        return .object(object)
    }

    /// The schema of such records.
    var schema: JSON {
        var properties = JSON.Object()
        for field in fields { properties[field.name] = field.schema }
        var schema = JSON.Object()
        schema["type"] = "object"
        schema["properties"] = .object(properties)
        let required = fields.filter(\.isRequired).map { JSON.string($0.name) }
        if !required.isEmpty { schema["required"] = .array(required) }
        schema["additionalProperties"] = false
        return .object(schema)
    }
}

/// Collects the fields of a shape.
public struct ShapeBuilder<Root: Sendable> {
    @usableFromInline var fields: [Shape<Root>.RecordField] = []
    /// The places of the fields in a record; nil for a computed property.
    @usableFromInline var places: [Int?] = []

    /// Adds a required field. A private one is null in the commits that clients read; only views show it.
    @inlinable
    public mutating func required<Value: JSONConvertible & SchemaProviding & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ constraint: Constraint<Value>? = nil,
        private isPrivate: Bool = false
    ) {
        add(name, path, constraint, default: nil, isPrivate: isPrivate)
    }

    /// Adds an optional field. If it is missing, it has the value of the blank record. A private one is null in the
    /// commits that clients read; only views show it.
    @inlinable
    public mutating func optional<Value: JSONConvertible & SchemaProviding & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ constraint: Constraint<Value>? = nil,
        private isPrivate: Bool = false
    ) {
        add(name, path, constraint, default: true, isPrivate: isPrivate)
    }

    /// Leaves a stored property out: it is no part of the JSON, and has its default in each record that is read.
    public mutating func leaveOut<Value>(_ path: any WritableKeyPath<Root, Value> & Sendable) {
        places.append(MemoryLayout<Root>.offset(of: path))
    }

    /// Returns the names of the stored properties without a field. A value of such a property would be lost when the
    /// record is stored. A computed property stands for one that is stored.
    func propertiesLeftOut(of record: Root) -> [String] {
        let mirror = Mirror(reflecting: record)
        // A record without fields has JSON of its own making.
        guard mirror.displayStyle == .struct, !fields.isEmpty else { return [] }
        let covered = Set(places.compactMap { $0 }).count + places.count { $0 == nil }
        guard covered < mirror.children.count else { return [] }
        let names = Set(fields.map(\.name))
        return mirror.children.compactMap(\.label).filter { !names.contains($0) }
    }

    @inlinable
    mutating func add<Value: JSONConvertible & SchemaProviding & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ constraint: Constraint<Value>?,
        default isOptional: Bool?, isPrivate: Bool
    ) {
        var schema = JSON.Object()
        if case .object(let object) = Value.schema { schema = object }
        for (keyword, value) in constraint?.keywords ?? [] { schema[keyword] = value }
        if isPrivate { schema["private"] = true }
        // Access through a key path takes about 50 ns; access by the offset of a stored property takes none.
        let place = MemoryLayout<Root>.offset(of: path)
        places.append(place)
        // Captured apart from the rest of the constraint, which only a refusal needs.
        let accept = constraint?.accept
        let demand = constraint?.demand ?? ""
        fields.append(
            Shape.RecordField(
                name: name, isRequired: isOptional == nil, schema: .object(schema),
                read: { reader, root throws(JSONError) in
                    let start = reader.offset
                    var accepted = try Value(from: &reader)
                    if let accept {
                        guard let value = accept(accepted) else { throw JSONError(.refused(demand), at: start) }
                        accepted = value
                    }
                    guard let place else { return root[keyPath: path] = accepted }
                    withUnsafeMutableBytes(of: &root) { bytes in
                        bytes.baseAddress.unsafelyUnwrapped.advanced(by: place).assumingMemoryBound(to: Value.self)
                            .pointee = accepted
                    }
                },
                write: { root, writer in
                    guard let place else { return root[keyPath: path].write(to: &writer) }
                    withUnsafeBytes(of: root) { bytes in
                        bytes.baseAddress.unsafelyUnwrapped.advanced(by: place).assumingMemoryBound(to: Value.self)
                            .pointee.write(
                                to: &writer)
                    }
                },
                tree: { root throws(JSONError) in try root[keyPath: path].tree() }))
    }
}
