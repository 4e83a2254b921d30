/// Operators between two operands.
enum Operation {
    static func code(_ sign: Operator, _ left: Code, _ right: Code, _ dialect: Expression.Dialect) -> Code {
        let length: Int? = if sign == .add, let one = left.length, let other = right.length { one + other } else { nil }
        let isComputing = dialect == .computing
        let step =
            switch sign {
            case .add:
                arithmetic(left.step, right.step, isComputing) { (a, b, run) throws(EvaluationFailure) in try Arithmetic.add(a, b, &run) }
            case .subtract:
                arithmetic(left.step, right.step, isComputing) { (a, b, _) throws(EvaluationFailure) in try Arithmetic.subtract(a, b) }
            case .multiply:
                arithmetic(left.step, right.step, isComputing) { (a, b, _) throws(EvaluationFailure) in try Arithmetic.multiply(a, b) }
            case .divide:
                arithmetic(left.step, right.step, isComputing) { (a, b, _) throws(EvaluationFailure) in try Arithmetic.divide(a, b) }
            case .remainder:
                arithmetic(left.step, right.step, false) { (a, b, _) throws(EvaluationFailure) in try Arithmetic.remainder(a, b) }
            case .equal: equality(left.step, right.step, wanted: true)
            case .different: equality(left.step, right.step, wanted: false)
            case .less: order(left.step, right.step, sign) { $0 == .less }
            case .lessOrEqual: order(left.step, right.step, sign) { $0 == .less || $0 == .equal }
            case .greater: order(left.step, right.step, sign) { $0 == .greater }
            case .greaterOrEqual: order(left.step, right.step, sign) { $0 == .greater || $0 == .equal }
            case .in: membership(left.step, right.step)
            // The parser makes lists of conditions of these.
            case .and: Logic.all([left, right], deciding: false, sign.rawValue).step
            case .or: Logic.all([left, right], deciding: true, sign.rawValue).step
            }
        let search = sign == .in ? right.length ?? ExpressionLimits.assumedLength : 0
        return Code(price: .priced(left.price, right.price, 1, search), length: length, step)
    }

    @inline(__always)
    private static func arithmetic(
        _ left: @escaping Step, _ right: @escaping Step, _ isComputing: Bool,
        _ operation: @escaping @Sendable (Value, Value, inout Run) throws(EvaluationFailure) -> Value
    ) -> Step {
        { (run) throws(EvaluationFailure) in
            try run.step()
            let a = try left(&run)
            let b = try right(&run)
            if isComputing, let (a, b) = Arithmetic.mixed(a, b) { return try operation(a, b, &run) }
            return try operation(a, b, &run)
        }
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
        _ left: @escaping Step, _ right: @escaping Step, _ sign: Operator, _ isWanted: @escaping @Sendable (Order) -> Bool
    ) -> Step {
        { (run) throws(EvaluationFailure) in
            try run.step()
            let a = try left(&run)
            let b = try right(&run)
            guard let order = try run.order(a, b, for: sign.rawValue) else { return .bool(false) }
            return .bool(isWanted(order))
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
            case .map(let map): return .bool(map.value(of: value) != nil)
            default: throw .mismatch("in", value, container)
            }
        }
    }
}
