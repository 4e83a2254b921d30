// Values that become trees without being written and read.

extension JSON {
    /// Returns the value itself.
    public func tree() throws(JSONError) -> JSON { self }
}

extension Bool {
    /// Returns `true` or `false`.
    public func tree() throws(JSONError) -> JSON { .bool(self) }
}

extension Int64 {
    /// Returns the number.
    public func tree() throws(JSONError) -> JSON { .number(Decimal(self)) }
}

extension Int {
    /// Returns the number.
    public func tree() throws(JSONError) -> JSON { .number(Decimal(Int64(self))) }
}

extension Decimal {
    /// Returns the number.
    public func tree() throws(JSONError) -> JSON { .number(self) }
}

extension String {
    /// Returns the string.
    public func tree() throws(JSONError) -> JSON { .string(self) }
}

extension Optional where Wrapped: JSONWritable {
    /// Returns the value, or `null` for nil.
    public func tree() throws(JSONError) -> JSON {
        switch self {
        case let value?: try value.tree()
        case nil: .null
        }
    }
}

extension Array where Element: JSONWritable {
    /// Returns an array.
    public func tree() throws(JSONError) -> JSON {
        var elements: [JSON] = []
        elements.reserveCapacity(count)
        for element in self { elements.append(try element.tree()) }
        return .array(elements)
    }
}

extension Dictionary where Key == String, Value: JSONWritable {
    /// Returns an object with its names in sorted order, as it is written.
    public func tree() throws(JSONError) -> JSON {
        var object = JSON.Object()
        for (name, value) in sorted(by: { $0.key < $1.key }) { object[name] = try value.tree() }
        return .object(object)
    }
}
