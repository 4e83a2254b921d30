extension Bool: JSONConvertible {
    /// Reads `true` or `false`.
    @inlinable
    public init(from reader: inout JSONReader) throws(JSONError) { self = try reader.bool() }
    /// Writes `true` or `false`.
    @inlinable
    public func write(to writer: inout JSONWriter) { writer.bool(self) }
}

extension Int64: JSONConvertible {
    /// Reads an integer.
    @inlinable
    public init(from reader: inout JSONReader) throws(JSONError) { self = try reader.int64() }
    /// Writes the number.
    @inlinable
    public func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Int: JSONConvertible {
    /// Reads an integer.
    @inlinable
    public init(from reader: inout JSONReader) throws(JSONError) { self = Int(try reader.int64()) }
    /// Writes the number.
    @inlinable
    public func write(to writer: inout JSONWriter) { writer.integer(Int64(self)) }
}

extension UInt64: JSONConvertible {
    /// Reads a non-negative integer.
    @inlinable
    public init(from reader: inout JSONReader) throws(JSONError) { self = try reader.uint64() }
    /// Writes the number.
    @inlinable
    public func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Double: JSONConvertible {
    /// Reads a number as the nearest double.
    @inlinable
    public init(from reader: inout JSONReader) throws(JSONError) { self = try reader.double() }
    /// Writes the shortest number that converts back to this double.
    @inlinable
    public func write(to writer: inout JSONWriter) { writer.double(self) }
}

extension Decimal: JSONConvertible {
    /// Reads a number exactly.
    @inlinable
    public init(from reader: inout JSONReader) throws(JSONError) { self = try reader.decimal() }
    /// Writes the number.
    @inlinable
    public func write(to writer: inout JSONWriter) { writer.decimal(self) }
}

extension String: JSONConvertible {
    /// Reads a string.
    @inlinable
    public init(from reader: inout JSONReader) throws(JSONError) { self = try reader.string() }
    /// Writes the string.
    @inlinable
    public func write(to writer: inout JSONWriter) { writer.string(self) }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String, Self: JSONReadable {
    /// Reads the string of a case.
    public init(from reader: inout JSONReader) throws(JSONError) {
        let offset = reader.offset
        guard let value = Self(rawValue: try reader.string()) else {
            throw JSONError(
                .refused("must be one of " + Self.allCases.map(\.rawValue).joined(separator: ", ")), at: offset)
        }
        self = value
    }
}

extension RawRepresentable where RawValue == String, Self: JSONWritable {
    /// Writes the string of the case.
    public func write(to writer: inout JSONWriter) { writer.string(rawValue) }
}
