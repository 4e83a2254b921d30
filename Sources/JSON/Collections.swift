extension Optional: JSONReadable where Wrapped: JSONReadable {
    /// Reads `null` as nil and any other value as `Wrapped`.
    @inlinable
    public init(from reader: inout JSONReader) throws(JSONError) {
        self = try reader.null() ? nil : try Wrapped(from: &reader)
    }
}

extension Optional: JSONWritable where Wrapped: JSONWritable {
    /// Writes the value, or `null` for nil.
    @inlinable
    public func write(to writer: inout JSONWriter) {
        switch self {
        case let value?: value.write(to: &writer)
        case nil: writer.null()
        }
    }
}

extension Array: JSONReadable where Element: JSONReadable {
    /// Reads an array.
    @inlinable
    public init(from reader: inout JSONReader) throws(JSONError) {
        var elements: [Element] = []
        try reader.array { reader throws(JSONError) in elements.append(try Element(from: &reader)) }
        self = elements
    }
}

extension Array: JSONWritable where Element: JSONWritable {
    /// Writes an array.
    @inlinable
    public func write(to writer: inout JSONWriter) {
        writer.array { writer in
            for element in self { writer.element(element) }
        }
    }
}

extension Dictionary: JSONReadable where Key == String, Value: JSONReadable {
    /// Reads an object with any names. Two names that `String` equates count as a duplicate, even if their code units
    /// differ.
    @inlinable
    public init(from reader: inout JSONReader) throws(JSONError) {
        var members: [String: Value] = [:]
        try reader.eachMember { token, reader throws(JSONError) in
            let name = try reader.text(token)
            guard members.updateValue(try Value(from: &reader), forKey: name) == nil else {
                throw JSONError(.duplicateMember(name), at: token.start - 1)
            }
        }
        self = members
    }
}

extension Dictionary: JSONWritable where Key == String, Value: JSONWritable {
    /// Writes an object with its names in sorted order, so equal dictionaries give equal bytes in every process.
    @inlinable
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            for (name, value) in sorted(by: { $0.key < $1.key }) { writer.field(name, value) }
        }
    }
}

extension JSON: JSONConvertible {
    /// Reads any value.
    public init(from reader: inout JSONReader) throws(JSONError) {
        switch try reader.kind() {
        case .null:
            try reader.literal("null")
            self = .null
        case .boolean: self = .bool(try reader.bool())
        case .number: self = .number(try reader.decimal())
        case .string: self = .string(try reader.string())
        case .array: self = .array(try [JSON](from: &reader))
        case .object:
            var object = Object()
            try reader.eachMember { token, reader throws(JSONError) in
                let name = try reader.text(token)
                guard object.insert(name, try JSON(from: &reader)) else { throw JSONError(.duplicateMember(name), at: token.start - 1) }
            }
            self = .object(object)
        }
    }

    /// Writes the value.
    public func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .number(let value): writer.decimal(value)
        case .string(let value): writer.string(value)
        case .array(let value): value.write(to: &writer)
        case .object(let value):
            writer.object { writer in
                for member in value { writer.field(member.key, member.value) }
            }
        }
    }
}
