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
                guard object.insert(name, try JSON(from: &reader)) else {
                    throw JSONError(.duplicateMember(name), at: token.start - 1)
                }
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

extension JSON: CustomStringConvertible {
    /// The value as JSON text.
    public var description: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
