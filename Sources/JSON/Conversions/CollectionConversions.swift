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
            // The names alone are sorted: to move them costs the same whatever the type of the values is.
            for name in keys.sorted() {
                if let value = self[name] { writer.field(name, value) }
            }
        }
    }
}
