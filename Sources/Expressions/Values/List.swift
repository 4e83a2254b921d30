import JSON

/// A list: of values that a formula made, or of JSON, whose elements become values only when somebody looks.
enum List: Sendable {
    case values([Value])
    case json([JSON])

    var count: Int {
        switch self {
        case .values(let values): values.count
        case .json(let elements): elements.count
        }
    }

    subscript(position: Int) -> Value {
        switch self {
        case .values(let values): values[position]
        case .json(let elements): Value(elements[position])
        }
    }

    /// All elements as values.
    var values: [Value] {
        switch self {
        case .values(let values): values
        case .json(let elements): elements.map { Value($0) }
        }
    }
}
