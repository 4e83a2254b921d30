import JSON

/// The order of two values.
enum Ordering {
    case less, equal, greater

    init<Operand: Comparable>(_ left: Operand, _ right: Operand) {
        self = left < right ? .less : left == right ? .equal : .greater
    }
}

extension CELValue {
    var isNumber: Bool {
        switch self {
        case .int, .uint, .double, .decimal: true
        default: false
        }
    }

    /// Returns the order of two numbers of any types; nil if one of them is not a number, or NaN.
    func numericOrder(_ other: CELValue) -> Ordering? {
        switch (self, other) {
        case (.int(let left), .int(let right)): Ordering(left, right)
        case (.uint(let left), .uint(let right)): Ordering(left, right)
        case (.int(let left), .uint(let right)): left < 0 ? .less : Ordering(UInt64(left), right)
        case (.uint(let left), .int(let right)): right < 0 ? .greater : Ordering(left, UInt64(right))
        case (.double(let left), .double(let right)): left.isNaN || right.isNaN ? nil : Ordering(left, right)
        case (.double(let left), .int(let right)): left.order(right)
        case (.double(let left), .uint(let right)): left.order(right)
        case (.int(let left), .double(let right)): right.order(left)?.reversed
        case (.uint(let left), .double(let right)): right.order(left)?.reversed
        case (.decimal, _), (_, .decimal): LongDecimal.pair(self, other).map { Ordering($0, $1) }
        default: nil
        }
    }
}

extension Ordering {
    fileprivate var reversed: Ordering {
        switch self {
        case .less: .greater
        case .equal: .equal
        case .greater: .less
        }
    }
}

extension Double {
    /// Returns the order of a double and an integer. Within the integer's range both compare as doubles, as the
    /// conformance suite expects.
    fileprivate func order<Whole: FixedWidthInteger>(_ other: Whole) -> Ordering? {
        isNaN
            ? nil
            : self > Double(Whole.max) ? .greater : self < Double(Whole.min) ? .less : Ordering(self, Double(other))
    }
}
