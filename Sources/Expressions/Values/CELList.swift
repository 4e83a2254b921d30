import JSON

/// A list of CEL values, or a JSON array that converts its elements on access.
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

    /// The elements at positions.
    subscript(range: Range<Int>) -> CELList {
        switch self {
        case .values(let values): .values(Array(values[range]))
        case .json(let elements): .json(Array(elements[range]))
        }
    }

    /// All elements as CEL values.
    var values: [CELValue] {
        switch self {
        case .values(let values): values
        case .json(let elements): elements.map { CELValue($0) }
        }
    }
}
