import JSON

/// A list: of values that a formula made, or of JSON, whose elements become values only when somebody looks.
enum CELList: Sendable {
    case values([CELValue])
    case json([JSON])

    var count: Int {
        switch self {
        case .values(let values): values.count
        case .json(let elements): elements.count
        }
    }

    subscript(position: Int) -> CELValue {
        switch self {
        case .values(let values): values[position]
        case .json(let elements): CELValue(elements[position])
        }
    }

    /// All elements as values.
    var values: [CELValue] {
        switch self {
        case .values(let values): values
        case .json(let elements): elements.map { CELValue($0) }
        }
    }
}
