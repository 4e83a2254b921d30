import JSON

extension CELValue {
    /// Converts a JSON value. A number without a fraction becomes an int, any other a double. Elements and members are
    /// converted on access.
    @inline(__always)
    init(_ json: JSON) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let number): self = number.int64.map { .int($0) } ?? .double(number.double)
        case .string(let value): self = .string(value)
        case .array(let elements): self = .list(.json(elements))
        case .object(let object): self = .map(.object(object))
        }
    }
}
