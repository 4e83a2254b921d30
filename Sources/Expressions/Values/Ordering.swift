/// How two values stand to each other.
enum Ordering {
    case less, equal, greater

    init<Operand: Comparable>(_ left: Operand, _ right: Operand) {
        self = left < right ? .less : left == right ? .equal : .greater
    }
}

extension CELValue {
    var isNumber: Bool {
        switch self {
        case .int, .uint, .double: true
        default: false
        }
    }

    /// How two numbers of whatever types stand to each other; nil where one of them is no number, or NaN.
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
    /// How it stands to a whole number: within the range of that type as doubles stand to each other, as the conformance suite has it.
    fileprivate func order<Whole: FixedWidthInteger>(_ other: Whole) -> Ordering? {
        isNaN ? nil : self > Double(Whole.max) ? .greater : self < Double(Whole.min) ? .less : Ordering(self, Double(other))
    }
}
