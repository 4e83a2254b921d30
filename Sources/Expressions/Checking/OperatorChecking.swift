extension Checker {
    mutating func negative(_ operand: Syntax, _ syntax: Syntax) -> CheckedPart {
        let type = value(operand)
        switch type.withoutNull {
        case .dyn, .int, .double, .decimal: return CheckedPart(type.withoutNull)
        default:
            fault("- is not defined for \(type)", syntax)
            return CheckedPart(.dyn)
        }
    }

    mutating func binary(_ sign: BinaryOperator, _ left: Syntax, _ right: Syntax, _ syntax: Syntax) -> CheckedPart {
        if sign == .in { return membership(left, right, syntax) }
        let (one, other) = (value(left).mapped, value(right).mapped)
        switch sign {
        case .equal, .different:
            if !areComparable(one, other) { notComparable(sign, one, other, syntax) }
            return CheckedPart(.bool)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            order(sign, one, other, syntax)
            return CheckedPart(.bool)
        default:
            guard let type = Self.result(sign, one.withoutNull, other.withoutNull) else {
                fault(Self.mixed(sign, one, other) ?? "\(sign.rawValue) is not defined for \(one) and \(other)", syntax)
                return CheckedPart(.dyn)
            }
            return CheckedPart(type)
        }
    }

    private mutating func membership(_ left: Syntax, _ right: Syntax, _ syntax: Syntax) -> CheckedPart {
        let key = value(left)
        let part = check(right)
        switch part.type.withoutNull.mapped {
        case .list(let element):
            use(part, of: right)
            if !areComparable(key, element) { notComparable(.in, key, part.type, syntax) }
        case .map(let declared, _):
            present(part, left)
            if !areComparable(key, declared) { notComparable(.in, key, part.type, syntax) }
        case .object:
            present(part, left)
            if !areComparable(key, .string) { notComparable(.in, key, part.type, syntax) }
        // Either a list or a map.
        case .dyn: use(part, of: right)
        default:
            use(part, of: right)
            fault("in takes a list or a map, not \(part.type)", right)
        }
        return CheckedPart(.bool)
    }

    private mutating func present(_ part: CheckedPart, _ key: Syntax) {
        if let place = part.place { record(place.appending(.entry(self.key(key))), .presence) }
    }

    private mutating func order(
        _ sign: BinaryOperator, _ one: ExpressionType, _ other: ExpressionType, _ syntax: Syntax
    ) {
        let (left, right) = (one.withoutNull, other.withoutNull)
        let isKnown = (left == .dyn || left.isOrderable) && (right == .dyn || right.isOrderable)
        if isKnown, left == .dyn || right == .dyn || left == right { return }
        if left.isNumber, right.isNumber, Self.mixed(sign, left, right) == nil { return }
        fault(Self.mixed(sign, left, right) ?? "\(sign.rawValue) is not defined for \(one) and \(other)", syntax)
    }

    private mutating func notComparable(
        _ sign: BinaryOperator, _ one: ExpressionType, _ other: ExpressionType, _ syntax: Syntax
    ) {
        fault(
            Self.mixed(sign, one, other)
                ?? "\(sign.rawValue) compares \(one) with \(other), which are never equal", syntax)
    }

    /// The words about a decimal and a double, or nil for other types.
    private static func mixed(_ sign: BinaryOperator, _ one: ExpressionType, _ other: ExpressionType) -> String? {
        guard Set([one.withoutNull, other.withoutNull]) == [.decimal, .double] else { return nil }
        return "\(sign.rawValue) does not mix a decimal with a double, which is not exact; "
            + "write decimal('0.9') for 0.9"
    }

    /// True if values of two types may be equal.
    func areComparable(_ one: ExpressionType, _ other: ExpressionType) -> Bool {
        switch (one, other) {
        case (.dyn, _), (_, .dyn), (.null, _), (_, .null): true
        case (.nullable(let type), _): areComparable(type, other)
        case (_, .nullable(let type)): areComparable(one, type)
        case (.decimal, .double), (.double, .decimal): false
        case (.list(let left), .list(let right)): areComparable(left, right)
        case (.map, .map), (.map, .object), (.object, .map), (.object, .object): true
        default: one == other || one.isNumber && other.isNumber
        }
    }

    /// Returns the type of the result of an arithmetic operator, or nil if it is not defined.
    private static func result(
        _ sign: BinaryOperator, _ left: ExpressionType, _ right: ExpressionType
    ) -> ExpressionType? {
        switch (left, right) {
        case (.dyn, .dyn): return .dyn
        case (.dyn, let known), (let known, .dyn): return isOperand(known, of: sign) ? .dyn : nil
        case (.int, .int), (.uint, .uint), (.decimal, .decimal): return left
        case (.decimal, .int), (.decimal, .uint), (.int, .decimal), (.uint, .decimal): return .decimal
        case (.double, .double), (.double, .int), (.int, .double): return sign == .remainder ? nil : .double
        case (.duration, .duration): return sign == .add || sign == .subtract ? .duration : nil
        case (.timestamp, .duration): return sign == .add || sign == .subtract ? .timestamp : nil
        case (.duration, .timestamp): return sign == .add ? .timestamp : nil
        case (.timestamp, .timestamp): return sign == .subtract ? .duration : nil
        case (.string, .string): return sign == .add ? .string : nil
        case (.bytes, .bytes): return sign == .add ? .bytes : nil
        case (.list(let one), .list(let other)): return sign == .add ? .list(one.joined(with: other)) : nil
        default: return nil
        }
    }

    /// True if a value of a type can be an operand, beside one of unknown type.
    private static func isOperand(_ type: ExpressionType, of sign: BinaryOperator) -> Bool {
        switch type {
        case .int, .uint, .decimal: true
        case .double: sign != .remainder
        case .duration, .timestamp: sign == .add || sign == .subtract
        case .string, .bytes, .list: sign == .add
        default: false
        }
    }
}
