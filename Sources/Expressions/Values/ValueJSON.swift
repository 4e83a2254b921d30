import JSON

extension CELValue {
    /// What a value of JSON is in CEL: a number without a fraction is an int, any other a double. What lies within waits until somebody
    /// looks at it.
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
