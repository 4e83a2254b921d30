import JSON

extension Run {
    /// Whether two values are the same. Numbers are compared by what they are worth, whatever their types; values of other types that
    /// differ are not equal.
    mutating func equal(_ left: Value, _ right: Value, depth: Int = 0) throws(EvaluationFailure) -> Bool {
        switch (left, right) {
        case (.int(let left), .int(let right)): return left == right
        case (.string(let left), .string(let right)):
            try scan(left.utf8.count)
            return ExactText(left) == ExactText(right)
        case (.null, .null): return true
        case (.bool(let left), .bool(let right)): return left == right
        case (.bytes(let left), .bytes(let right)):
            try scan(left.count)
            return left == right
        case (.timestamp(let left), .timestamp(let right)): return left == right
        case (.duration(let left), .duration(let right)): return left == right
        case (.type(let left), .type(let right)): return left == right
        case (.list(let left), .list(let right)): return try equal(left, right, depth)
        case (.map(let left), .map(let right)): return try equal(left, right, depth)
        default: return left.numericOrder(right) == .equal
        }
    }

    private mutating func equal(_ left: List, _ right: List, _ depth: Int) throws(EvaluationFailure) -> Bool {
        try descend(depth)
        guard left.count == right.count else { return false }
        for place in 0..<left.count {
            try step()
            if try !equal(left[place], right[place], depth: depth + 1) { return false }
        }
        return true
    }

    private mutating func equal(_ left: Map, _ right: Map, _ depth: Int) throws(EvaluationFailure) -> Bool {
        try descend(depth)
        guard left.count == right.count else { return false }
        for place in 0..<left.count {
            try step()
            let key = left.key(at: place)
            try scan(key.textBytes)
            guard let other = right.value(of: key), try equal(left.value(at: place), other, depth: depth + 1) else { return false }
        }
        return true
    }

    /// Which of two values comes first; nil where nothing can be said, as of NaN.
    mutating func order(_ left: Value, _ right: Value, for name: String) throws(EvaluationFailure) -> Order? {
        switch (left, right) {
        case (.int(let left), .int(let right)): return Order(left, right)
        case (.string(let left), .string(let right)):
            try scan(min(left.utf8.count, right.utf8.count))
            return Order(ExactText(left), ExactText(right))
        case (.bool(let left), .bool(let right)): return Order(left ? 1 : 0, right ? 1 : 0)
        case (.bytes(let left), .bytes(let right)):
            try scan(min(left.count, right.count))
            return left == right ? .equal : left.lexicographicallyPrecedes(right) ? .less : .greater
        case (.timestamp(let left), .timestamp(let right)): return Order(left, right)
        case (.duration(let left), .duration(let right)): return Order(left, right)
        default:
            guard left.isNumber, right.isNumber else { throw .mismatch(name, left, right) }
            return left.numericOrder(right)
        }
    }
}

/// How two values stand to each other.
enum Order {
    case less, equal, greater

    init<Value: Comparable>(_ left: Value, _ right: Value) {
        self = left < right ? .less : left == right ? .equal : .greater
    }
}

extension Value {
    var isNumber: Bool {
        switch self {
        case .int, .uint, .double: true
        default: false
        }
    }

    /// How two numbers of whatever types stand to each other; nil where one of them is no number, or NaN.
    func numericOrder(_ other: Value) -> Order? {
        switch (self, other) {
        case (.int(let left), .int(let right)): Order(left, right)
        case (.uint(let left), .uint(let right)): Order(left, right)
        case (.int(let left), .uint(let right)): left < 0 ? .less : Order(UInt64(left), right)
        case (.uint(let left), .int(let right)): right < 0 ? .greater : Order(left, UInt64(right))
        case (.double(let left), .double(let right)): left.isNaN || right.isNaN ? nil : Order(left, right)
        case (.double(let left), .int(let right)): left.order(right)
        case (.double(let left), .uint(let right)): left.order(right)
        case (.int(let left), .double(let right)): right.order(left)?.reversed
        case (.uint(let left), .double(let right)): right.order(left)?.reversed
        default: nil
        }
    }
}

extension Order {
    fileprivate var reversed: Order {
        switch self {
        case .less: .greater
        case .equal: .equal
        case .greater: .less
        }
    }
}

extension Double {
    /// How it stands to a whole number: within the range of that type as doubles stand to each other, as the conformance suite has it.
    fileprivate func order<Whole: FixedWidthInteger>(_ other: Whole) -> Order? {
        isNaN ? nil : self > Double(Whole.max) ? .greater : self < Double(Whole.min) ? .less : Order(self, Double(other))
    }
}
