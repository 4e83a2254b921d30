extension EvaluationContext {
    /// Returns true if two values are equal. Numbers compare by numeric value across types; values of different other
    /// types are not equal.
    mutating func equal(_ left: CELValue, _ right: CELValue, depth: Int = 0) throws(EvaluationFailure) -> Bool {
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
        case (.decimal, .double), (.double, .decimal): throw .mismatch("==", left, right)
        default: return left.numericOrder(right) == .equal
        }
    }

    private mutating func equal(_ left: CELList, _ right: CELList, _ depth: Int) throws(EvaluationFailure) -> Bool {
        try descend(depth)
        guard left.count == right.count else { return false }
        for place in 0..<left.count {
            try step()
            if try !equal(left[place], right[place], depth: depth + 1) { return false }
        }
        return true
    }

    private mutating func equal(_ left: CELMap, _ right: CELMap, _ depth: Int) throws(EvaluationFailure) -> Bool {
        try descend(depth)
        guard left.count == right.count else { return false }
        for place in 0..<left.count {
            try step()
            let key = left.key(at: place)
            try scan(key.textBytes)
            guard let other = right.value(of: key), try equal(left.value(at: place), other, depth: depth + 1) else {
                return false
            }
        }
        return true
    }

    /// Returns the order of two values; nil if there is none, as for NaN.
    mutating func order(_ left: CELValue, _ right: CELValue, for name: String) throws(EvaluationFailure) -> Ordering? {
        switch (left, right) {
        case (.int(let left), .int(let right)): return Ordering(left, right)
        case (.string(let left), .string(let right)):
            try scan(min(left.utf8.count, right.utf8.count))
            return Ordering(ExactText(left), ExactText(right))
        case (.bool(let left), .bool(let right)): return Ordering(left ? 1 : 0, right ? 1 : 0)
        case (.bytes(let left), .bytes(let right)):
            try scan(min(left.count, right.count))
            return left == right ? .equal : left.lexicographicallyPrecedes(right) ? .less : .greater
        case (.timestamp(let left), .timestamp(let right)): return Ordering(left, right)
        case (.duration(let left), .duration(let right)): return Ordering(left, right)
        default:
            guard left.isNumber, right.isNumber else { throw .mismatch(name, left, right) }
            switch (left, right) {
            case (.decimal, .double), (.double, .decimal): throw .mismatch(name, left, right)
            default: return left.numericOrder(right)
            }
        }
    }
}
