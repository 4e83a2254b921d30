extension Bool: JSONConvertible {
    /// Takes `true` or `false`.
    @inlinable
    public init(from reader: inout JSONReader) throws(JSONError) { self = try reader.bool() }
    /// Writes `true` or `false`.
    @inlinable
    public func write(to writer: inout JSONWriter) { writer.bool(self) }
}

extension Int64: JSONConvertible {
    /// Takes a whole number.
    @inlinable
    public init(from reader: inout JSONReader) throws(JSONError) { self = try reader.int64() }
    /// Writes the number.
    @inlinable
    public func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Int: JSONConvertible {
    /// Takes a whole number.
    @inlinable
    public init(from reader: inout JSONReader) throws(JSONError) { self = Int(try reader.int64()) }
    /// Writes the number.
    @inlinable
    public func write(to writer: inout JSONWriter) { writer.integer(Int64(self)) }
}

extension UInt64: JSONConvertible {
    /// Takes a whole number of 0 or more.
    @inlinable
    public init(from reader: inout JSONReader) throws(JSONError) { self = try reader.uint64() }
    /// Writes the number.
    @inlinable
    public func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Double: JSONConvertible {
    /// Takes a number as the double next to it.
    @inlinable
    public init(from reader: inout JSONReader) throws(JSONError) { self = try reader.double() }
    /// Writes the shortest number that reads back as this one.
    @inlinable
    public func write(to writer: inout JSONWriter) { writer.double(self) }
}

extension Decimal: JSONConvertible {
    /// Takes a number exactly.
    @inlinable
    public init(from reader: inout JSONReader) throws(JSONError) { self = try reader.decimal() }
    /// Writes the number.
    @inlinable
    public func write(to writer: inout JSONWriter) { writer.decimal(self) }
}

extension String: JSONConvertible {
    /// Takes a string.
    @inlinable
    public init(from reader: inout JSONReader) throws(JSONError) { self = try reader.string() }
    /// Writes the string.
    @inlinable
    public func write(to writer: inout JSONWriter) { writer.string(self) }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String, Self: JSONReadable {
    /// Takes the string of one of the cases.
    public init(from reader: inout JSONReader) throws(JSONError) {
        let offset = reader.offset
        guard let value = Self(rawValue: try reader.string()) else {
            throw JSONError(.refused("must be one of " + Self.allCases.map(\.rawValue).joined(separator: ", ")), at: offset)
        }
        self = value
    }
}

extension RawRepresentable where RawValue == String, Self: JSONWritable {
    /// Writes the case's string.
    public func write(to writer: inout JSONWriter) { writer.string(rawValue) }
}
