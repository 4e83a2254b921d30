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
        case .divide: step = arithmetic(Quotient.self, left, right, isComputing)
        case .remainder: step = arithmetic(Remainder.self, left, right, false)
        case .equal: step = equality(left, right, wanted: true)
        case .different: step = equality(left, right, wanted: false)
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

    /// Two ints are computed in place, and a variable is looked at where it lies, without a copy of it. (Generic, as the compiler makes each of
    /// these a function of its own, where closures would be called.)
    private static func arithmetic<Operation: WholeOperation>(
        _ operation: Operation.Type, _ left: Code, _ right: Code, _ isComputing: Bool
    ) -> Step {
        let (first, second) = (left.step, right.step)
        switch (left.slot, right.slot, right.constant) {
        case (let slot?, _, .int(let b)?):
            return { (run) throws(EvaluationFailure) in
                try run.step()
                if let a = run.int(at: slot) { return .int(try Operation.whole(a, b)) }
                return try mixed(run.slots[slot], .int(b), &run, isComputing, Operation.any)
            }
        case (let slot?, let other?, _):
            return { (run) throws(EvaluationFailure) in
                try run.step()
                if let a = run.int(at: slot), let b = run.int(at: other) { return .int(try Operation.whole(a, b)) }
                return try mixed(run.slots[slot], run.slots[other], &run, isComputing, Operation.any)
            }
        case (_, _, .int(let b)?):
            return { (run) throws(EvaluationFailure) in
                try run.step()
                let value = try first(&run)
                if case .int(let a) = value { return .int(try Operation.whole(a, b)) }
                return try mixed(value, .int(b), &run, isComputing, Operation.any)
            }
        default:
            return { (run) throws(EvaluationFailure) in
                try run.step()
                let value = try first(&run)
                let other = try second(&run)
                if case .int(let a) = value, case .int(let b) = other { return .int(try Operation.whole(a, b)) }
                return try mixed(value, other, &run, isComputing, Operation.any)
            }
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

    private static func equality(_ left: Code, _ right: Code, wanted: Bool) -> Step {
        if let slot = left.slot, let other = right.slot {
            return { (run) throws(EvaluationFailure) in
                try run.step()
                if let a = run.int(at: slot), let b = run.int(at: other) { return .bool((a == b) == wanted) }
                return .bool(try run.equal(run.slots[slot], run.slots[other]) == wanted)
            }
        }
        let (first, second) = (left.step, right.step)
        return { (run) throws(EvaluationFailure) in
            try run.step()
            let a = try first(&run)
            let b = try second(&run)
            return .bool(try run.equal(a, b) == wanted)
        }
    }

    private static func order(_ left: Code, _ right: Code, _ sign: Operator, _ wanted: Orders) -> Step {
        let (first, second, name) = (left.step, right.step, sign.rawValue)
        switch (left.slot, right.constant) {
        case (let slot?, .int(let b)?):
            return { (run) throws(EvaluationFailure) in
                try run.step()
                if let a = run.int(at: slot) { return .bool(wanted.contain(Order(a, b))) }
                return .bool(wanted.contain(try run.order(run.slots[slot], .int(b), for: name)))
            }
        case (_, .int(let b)?):
            return { (run) throws(EvaluationFailure) in
                try run.step()
                let value = try first(&run)
                if case .int(let a) = value { return .bool(wanted.contain(Order(a, b))) }
                return .bool(wanted.contain(try run.order(value, .int(b), for: name)))
            }
        default:
            return { (run) throws(EvaluationFailure) in
                try run.step()
                let a = try first(&run)
                let b = try second(&run)
                return .bool(wanted.contain(try run.order(a, b, for: name)))
            }
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

/// Which ways in which two values may stand to each other are true.
private struct Orders: OptionSet {
    let rawValue: UInt8

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Whether this is one of them; where nothing can be said, it is none.
    @inline(__always)
    func contain(_ order: Order?) -> Bool {
        switch order {
        case .less: contains(.less)
        case .equal: contains(.equal)
        case .greater: contains(.greater)
        case nil: false
        }
    }

    static let less = Orders(rawValue: 1)
    static let equal = Orders(rawValue: 2)
    static let greater = Orders(rawValue: 4)
}
