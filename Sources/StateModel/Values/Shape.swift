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

    /// Creates the shape of records. `blank` provides the defaults of optional fields.
    ///
    /// `describe` says what the stored properties do not: constraints, defaults, other names, what is private. Each other
    /// stored property is a field under its own name, optional if its type is, otherwise required. So a shape needs no
    /// closure if there is nothing to say, and a record needs no shape. A closure that adds no field is for a record with
    /// JSON of its own making.
    ///
    ///     static let shape = Shape(Addition()) { $0.optional(\.quantity, .from(1...999)) }
    public init(
        _ blank: @autoclosure @escaping @Sendable () -> Root, _ describe: ((inout ShapeBuilder<Root>) -> Void)? = nil
    ) {
        var described = ShapeBuilder<Root>(blank())
        describe?(&described)
        if describe == nil || !described.isEmpty { described.addOthers() }
        if described.fields.count > 64 { described.note("\(Root.self) has more than 64 fields") }
        fields = described.fault.map { [Self.faultyField($0)] } ?? described.fields
        names = MemberNames(fields.map(\.name))
        required = fields.enumerated().reduce(0) { $1.element.isRequired ? $0 | 1 << UInt64($1.offset) : $0 }
        self.blank = blank
    }

    /// The only field of a shape with a fault. Its schema says the fault to the registration. A record that no registration
    /// has seen stops the program when it is written, and no JSON is one.
    private static func faultyField(_ fault: String) -> RecordField {
        RecordField(
            name: ShapeFault.keyword, isRequired: true, schema: .string(fault),
            read: { _, _ in preconditionFailure(fault) }, write: { _, _ in preconditionFailure(fault) },
            tree: { _ throws(JSONError) in throw JSONError(.refused(fault), at: 0) })
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
        schema["title"] = .string("\(Root.self)")
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
    /// The places of the properties that are no fields.
    private var leftOut: [Int?] = []
    /// The stored properties of a record; nil if their places are unknown.
    private let properties: [StoredProperty]?
    /// The names of the stored properties.
    private let names: [String]
    /// The first fault, in words.
    private(set) var fault: String?

    /// True if nothing was said.
    var isEmpty: Bool { fields.isEmpty && leftOut.isEmpty }

    mutating func note(_ fault: String) { self.fault = self.fault ?? fault }

    init(_ blank: Root) {
        let mirror = Mirror(reflecting: blank)
        names = mirror.displayStyle == .struct ? mirror.children.map { $0.label ?? "" } : []
        properties = StoredProperty.all(of: blank)
    }

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

    /// Adds a required field under the name of its stored property.
    @inlinable
    public mutating func required<Value: JSONConvertible & SchemaProviding & Sendable>(
        _ path: any WritableKeyPath<Root, Value> & Sendable, _ constraint: Constraint<Value>? = nil,
        private isPrivate: Bool = false
    ) {
        let name = name(of: path)
        add(name, path, constraint, default: nil, isPrivate: isPrivate)
    }

    /// Adds an optional field under the name of its stored property. If it is missing, it has the value of the blank
    /// record.
    @inlinable
    public mutating func optional<Value: JSONConvertible & SchemaProviding & Sendable>(
        _ path: any WritableKeyPath<Root, Value> & Sendable, _ constraint: Constraint<Value>? = nil,
        private isPrivate: Bool = false
    ) {
        let name = name(of: path)
        add(name, path, constraint, default: true, isPrivate: isPrivate)
    }

    /// Leaves a stored property out: it is no part of the JSON, and has its default in each record that is read.
    public mutating func leaveOut<Value>(_ path: any WritableKeyPath<Root, Value> & Sendable) {
        leftOut.append(MemoryLayout<Root>.offset(of: path))
    }

    /// Returns the name of a stored property, and notes a fault if there is none.
    @usableFromInline
    mutating func name(of path: PartialKeyPath<Root>) -> String {
        let offset = MemoryLayout<Root>.offset(of: path)
        // A property without a size has the place of the next one.
        let found = properties?.last { $0.offset == offset }
        if found == nil { note("\(Root.self) has no stored property at \(path): say its name") }
        return found?.name ?? ""
    }

    /// Adds the stored properties that nothing was said about. A computed property stands for one that is stored.
    mutating func addOthers() {
        let said = places + leftOut
        let known = Set(said.compactMap { $0 })
        let computedCount = said.count { $0 == nil }
        guard known.count + computedCount < names.count else { return }
        let missing = names.filter { name in !fields.contains { $0.name == name } }
        guard let properties, computedCount == 0 else {
            return note(
                "\(Root.self) has stored properties that its shape leaves out: \(missing.joined(separator: ", "))")
        }
        var byPlace: [Int: [Shape<Root>.RecordField]] = [:]
        for (place, field) in zip(places, fields) { if let place { byPlace[place, default: []].append(field) } }
        // A part of a stored struct has the place of the struct, or one within it.
        let parts = byPlace.filter { place, _ in !properties.contains { $0.offset == place } }
        guard parts.isEmpty else {
            return note("\(Root.self) has fields of parts of a property, so its shape says all: \(missing)")
        }
        fields = []
        for property in properties {
            fields += byPlace.removeValue(forKey: property.offset) ?? []
            if !known.contains(property.offset) { add(property) }
        }
    }

    /// Adds a stored property as a field, optional if its type is.
    private mutating func add(_ property: StoredProperty) {
        let type: any Any.Type = type(of: property.value)
        guard let type = type as? any (JSONConvertible & SchemaProviding).Type else {
            return note(
                "\(Root.self).\(property.name) is a \(type), which is no JSON and has no schema: \(Self.remedy(for: type))"
            )
        }
        guard property.name.utf8.first.map({ $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "$") }) == true else {
            return note("\(Root.self).\(property.name) is stored by a property wrapper: say the name of its field")
        }
        let isOptional = Mirror(reflecting: property.value).displayStyle == .optional
        // The common types are written out, so that the compiler specializes the code for them.
        let field: Shape<Root>.RecordField =
            switch type {
            case is Bool.Type: StoredField<Bool>(property).field(isOptional)
            case is Int.Type: StoredField<Int>(property).field(isOptional)
            case is String.Type: StoredField<String>(property).field(isOptional)
            case is Decimal.Type: StoredField<Decimal>(property).field(isOptional)
            case is Money.Type: StoredField<Money>(property).field(isOptional)
            case is Timestamp.Type: StoredField<Timestamp>(property).field(isOptional)
            case is Int?.Type: StoredField<Int?>(property).field(isOptional)
            case is String?.Type: StoredField<String?>(property).field(isOptional)
            case is Timestamp?.Type: StoredField<Timestamp?>(property).field(isOptional)
            default: stored(type, property, isOptional)
            }
        fields.append(field)
    }

    /// The way out for a type that cannot be a field.
    private static func remedy(for type: any Any.Type) -> String {
        switch "\(type)" {
        case "Double", "Float", "Optional<Double>", "Optional<Float>": "use JSON.Number or Money, which are exact"
        case "Date", "Optional<Date>": "use Timestamp"
        default: "leave it out, or make it so"
        }
    }

    private func stored<Value: JSONConvertible & SchemaProviding>(
        _: Value.Type, _ property: StoredProperty, _ isOptional: Bool
    ) -> Shape<Root>.RecordField {
        StoredField<Value>(property).field(isOptional)
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

/// A field that follows from a stored property of a type.
private struct StoredField<Value: JSONConvertible & SchemaProviding>: Sendable {
    private let name: String
    private let offset: Int

    init(_ property: StoredProperty) {
        name = property.name
        offset = property.offset
    }

    func read<Root>(_ reader: inout JSONReader, _ root: inout Root) throws(JSONError) {
        let value = try Value(from: &reader)
        withUnsafeMutableBytes(of: &root) { bytes in
            bytes.baseAddress.unsafelyUnwrapped.advanced(by: offset).assumingMemoryBound(to: Value.self).pointee = value
        }
    }

    func value<Root>(of root: borrowing Root) -> Value {
        withUnsafeBytes(of: root) { bytes in
            bytes.baseAddress.unsafelyUnwrapped.advanced(by: offset).assumingMemoryBound(to: Value.self).pointee
        }
    }

    @inline(__always)
    func field<Root>(_ isOptional: Bool) -> Shape<Root>.RecordField {
        Shape<Root>.RecordField(
            name: name, isRequired: !isOptional, schema: Value.schema,
            read: { reader, root throws(JSONError) in try read(&reader, &root) },
            write: { root, writer in value(of: root).write(to: &writer) },
            tree: { root throws(JSONError) in try value(of: root).tree() })
    }
}
