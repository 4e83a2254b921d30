public import JSON

/// The fields of a record: their names, where they lie, and what is demanded of them.
public struct Shape<Root: Sendable>: Sendable {
    /// One field.
    @usableFromInline
    struct Field: Sendable {
        @usableFromInline let name: String
        @usableFromInline let isRequired: Bool
        let schema: JSON
        @usableFromInline let read: @Sendable (inout JSONReader, inout Root) throws(JSONError) -> Void
        @usableFromInline let write: @Sendable (borrowing Root, inout JSONWriter) -> Void
    }

    @usableFromInline let fields: [Field]
    /// What a record is before anything is read: the defaults of its optional fields.
    @usableFromInline let blank: Root

    /// The shape of records that are like `blank` where nothing is said.
    public init(_ blank: Root, _ describe: (inout Fields<Root>) -> Void) {
        var described = Fields<Root>()
        describe(&described)
        precondition(described.fields.count <= 64, "a record has at most 64 fields")
        fields = described.fields
        self.blank = blank
    }

    @inlinable
    func read(from reader: inout JSONReader) throws(JSONError) -> Root {
        var root = blank
        var seen: UInt64 = 0
        let start = reader.offset
        try reader.members { name, reader throws(JSONError) in
            guard let index = fields.firstIndex(where: { $0.name == name }) else {
                throw JSONError(.unknownMember(name), at: start, pointer: JSONPointer([name]))
            }
            try fields[index].read(&reader, &root)
            seen |= 1 << UInt64(index)
        }
        for (index, field) in fields.enumerated() where field.isRequired && seen & (1 << UInt64(index)) == 0 {
            throw JSONError(.missingMember(field.name), at: start, pointer: JSONPointer([field.name]))
        }
        return root
    }

    @inlinable
    func write(_ root: Root, to writer: inout JSONWriter) {
        writer.object { writer in
            for field in fields {
                writer.field(field.name) { field.write(root, &$0) }
            }
        }
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

/// Takes down the fields of a shape.
public struct Fields<Root: Sendable> {
    var fields: [Shape<Root>.Field] = []

    /// A field that must be there.
    public mutating func required<Value: JSONConvertible & Described & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ constraint: Constraint<Value>? = nil
    ) {
        add(name, path, constraint, default: nil)
    }

    /// A field that may be left out, and is then what the blank record says.
    public mutating func optional<Value: JSONConvertible & Described & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ constraint: Constraint<Value>? = nil
    ) {
        add(name, path, constraint, default: true)
    }

    private mutating func add<Value: JSONConvertible & Described & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ constraint: Constraint<Value>?, default isOptional: Bool?
    ) {
        var schema = JSON.Object()
        if case .object(let object) = Value.schema { schema = object }
        for (keyword, value) in constraint?.keywords ?? [] { schema[keyword] = value }
        fields.append(
            Shape.Field(
                name: name, isRequired: isOptional == nil, schema: .object(schema),
                read: { reader, root throws(JSONError) in
                    let start = reader.offset
                    let value = try Value(from: &reader)
                    guard let constraint else { return root[keyPath: path] = value }
                    guard let accepted = constraint.accept(value) else { throw JSONError(.refused(constraint.demand), at: start) }
                    root[keyPath: path] = accepted
                },
                write: { root, writer in root[keyPath: path].write(to: &writer) }))
    }
}
