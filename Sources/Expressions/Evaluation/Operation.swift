/// Operators between two operands.
enum Operation {
    static func code(_ sign: Operator, _ left: Code, _ right: Code, _ dialect: Expression.Dialect) -> Code {
        let length: Int? = if sign == .add, let one = left.length, let other = right.length { one + other } else { nil }
        let isComputing = dialect == .computing
        let step: Step
        switch sign {
        case .add: step = arithmetic(Sum.self, left, right, isComputing)
        case .subtract: step = arithmetic(Difference.self, left, right, isComputing)
        case .multiply: step = arithmetic(Product.self, left, right, isComputing)
        case .divide:
            step = either(left.step, right.step, isComputing) { (a, b, _) throws(EvaluationFailure) in try Arithmetic.divide(a, b) }
        case .remainder:
            step = either(left.step, right.step, false) { (a, b, _) throws(EvaluationFailure) in try Arithmetic.remainder(a, b) }
        case .equal: step = equality(left.step, right.step, wanted: true)
        case .different: step = equality(left.step, right.step, wanted: false)
        case .less: step = order(left, right, sign, .less)
        case .lessOrEqual: step = order(left, right, sign, [.less, .equal])
        case .greater: step = order(left, right, sign, .greater)
        case .greaterOrEqual: step = order(left, right, sign, [.greater, .equal])
        case .in: step = membership(left.step, right.step)
        // The parser makes lists of conditions of these.
        case .and: step = Logic.all([left, right], deciding: false, sign.rawValue).step
        case .or: step = Logic.all([left, right], deciding: true, sign.rawValue).step
        }
        let search = sign == .in ? right.length ?? ExpressionLimits.assumedLength : 0
        return Code(price: .priced(left.price, right.price, 1, search), length: length, step)
    }

    /// An int and a literal, which is common, are computed in place. (Generic, as the compiler makes each of these a function of its own,
    /// where closures would be called.)
    private static func arithmetic<Operation: WholeOperation>(
        _ operation: Operation.Type, _ left: Code, _ right: Code, _ isComputing: Bool
    ) -> Step {
        guard case .int(let b)? = right.constant else {
            return either(left.step, right.step, isComputing) { (a, b, run) throws(EvaluationFailure) in try Operation.any(a, b, &run) }
        }
        // A variable is looked at where it lies, without a copy of it.
        if let slot = left.slot {
            return { (run) throws(EvaluationFailure) in
                try run.step()
                if case .int(let a) = run.slots[slot] { return try computed(a, b, operation) }
                return try mixed(run.slots[slot], .int(b), &run, isComputing, Operation.any)
            }
        }
        let first = left.step
        return { (run) throws(EvaluationFailure) in
            try run.step()
            let value = try first(&run)
            if case .int(let a) = value { return try computed(a, b, operation) }
            return try mixed(value, .int(b), &run, isComputing, Operation.any)
        }
    }

    @inline(__always)
    private static func computed<Operation: WholeOperation>(
        _ a: Int64, _ b: Int64, _ operation: Operation.Type
    ) throws(EvaluationFailure) -> Value {
        let (result, isOver) = Operation.whole(a, b)
        if isOver { throw Arithmetic.overflow }
        return .int(result)
    }

    private static func either(
        _ left: @escaping Step, _ right: @escaping Step, _ isComputing: Bool,
        _ operation: @escaping @Sendable (Value, Value, inout Run) throws(EvaluationFailure) -> Value
    ) -> Step {
        { (run) throws(EvaluationFailure) in
            try run.step()
            let a = try left(&run)
            let b = try right(&run)
            return try mixed(a, b, &run, isComputing, operation)
        }
    }

    @inline(__always)
    private static func mixed(
        _ a: Value, _ b: Value, _ run: inout Run, _ isComputing: Bool,
        _ operation: (Value, Value, inout Run) throws(EvaluationFailure) -> Value
    ) throws(EvaluationFailure) -> Value {
        if isComputing, let (a, b) = Arithmetic.mixed(a, b) { return try operation(a, b, &run) }
        return try operation(a, b, &run)
    }

    private static func equality(_ left: @escaping Step, _ right: @escaping Step, wanted: Bool) -> Step {
        { (run) throws(EvaluationFailure) in
            try run.step()
            let a = try left(&run)
            let b = try right(&run)
            return .bool(try run.equal(a, b) == wanted)
        }
    }

    @inline(__always)
    private static func order(
        _ left: Code, _ right: Code, _ sign: Operator, _ wanted: Orders
    ) -> Step {
        let (first, second, name) = (left.step, right.step, sign.rawValue)
        if case .int(let b)? = right.constant {
            return { (run) throws(EvaluationFailure) in
                try run.step()
                let a = try first(&run)
                if case .int(let number) = a { return .bool(wanted.contains(Orders(Order(number, b)))) }
                return .bool(try run.order(a, .int(b), for: name).map { wanted.contains(Orders($0)) } ?? false)
            }
        }
        return { (run) throws(EvaluationFailure) in
            try run.step()
            let a = try first(&run)
            let b = try second(&run)
            return .bool(try run.order(a, b, for: name).map { wanted.contains(Orders($0)) } ?? false)
        }
    }

    private static func membership(_ left: @escaping Step, _ right: @escaping Step) -> Step {
        { (run) throws(EvaluationFailure) in
            try run.step()
            let value = try left(&run)
            let container = try right(&run)
            switch container {
            case .list(let list):
                for place in 0..<list.count {
                    try run.step()
                    if try run.equal(value, list[place]) { return .bool(true) }
                }
                return .bool(false)
            case .map(let map):
                try run.scan(value.textBytes)
                return .bool(map.value(of: value) != nil)
            default: throw .mismatch("in", value, container)
            }
        }
    }
}

/// What is computed with two ints in place, and with any two values otherwise.
private protocol WholeOperation: SendableMetatype {
    static func whole(_ a: Int64, _ b: Int64) -> (partialValue: Int64, overflow: Bool)
    static func any(_ a: Value, _ b: Value, _ run: inout Run) throws(EvaluationFailure) -> Value
}

private enum Sum: WholeOperation {
    static func whole(_ a: Int64, _ b: Int64) -> (partialValue: Int64, overflow: Bool) { a.addingReportingOverflow(b) }
    static func any(_ a: Value, _ b: Value, _ run: inout Run) throws(EvaluationFailure) -> Value { try Arithmetic.add(a, b, &run) }
}

private enum Difference: WholeOperation {
    static func whole(_ a: Int64, _ b: Int64) -> (partialValue: Int64, overflow: Bool) { a.subtractingReportingOverflow(b) }
    static func any(_ a: Value, _ b: Value, _ run: inout Run) throws(EvaluationFailure) -> Value { try Arithmetic.subtract(a, b) }
}

private enum Product: WholeOperation {
    static func whole(_ a: Int64, _ b: Int64) -> (partialValue: Int64, overflow: Bool) { a.multipliedReportingOverflow(by: b) }
    static func any(_ a: Value, _ b: Value, _ run: inout Run) throws(EvaluationFailure) -> Value { try Arithmetic.multiply(a, b) }
}

/// Which ways in which two values may stand to each other are true.
private struct Orders: OptionSet {
    let rawValue: UInt8

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ order: Order) {
        switch order {
        case .less: self = .less
        case .equal: self = .equal
        case .greater: self = .greater
        }
    }

    static let less = Orders(rawValue: 1)
    static let equal = Orders(rawValue: 2)
    static let greater = Orders(rawValue: 4)
}
