/// The compilation of binary operators.
enum OperatorCompiler {
    static func code(
        _ sign: BinaryOperator, _ left: CompiledPart, _ right: CompiledPart, _ dialect: Expression.Dialect
    ) -> CompiledPart {
        let length: Int? = if sign == .add, let one = left.length, let other = right.length { one + other } else { nil }
        let isComputing = dialect == .computing
        let step: EvaluationStep
        switch sign {
        case .add: step = arithmetic(IntegerAddition.self, left, right, isComputing)
        case .subtract: step = arithmetic(IntegerSubtraction.self, left, right, isComputing)
        case .multiply: step = arithmetic(IntegerMultiplication.self, left, right, isComputing)
        case .divide: step = arithmetic(IntegerDivision.self, left, right, isComputing)
        case .remainder: step = arithmetic(IntegerModulo.self, left, right, false)
        case .equal: step = equality(left, right, wanted: true)
        case .different: step = equality(left, right, wanted: false)
        case .less: step = order(left, right, sign, .less)
        case .lessOrEqual: step = order(left, right, sign, [.less, .equal])
        case .greater: step = order(left, right, sign, .greater)
        case .greaterOrEqual: step = order(left, right, sign, [.greater, .equal])
        case .in: step = membership(left.step, right.step)
        // The parser builds lists of conditions for these two.
        case .and: step = Logic.all([left, right], deciding: false, sign.rawValue).step
        case .or: step = Logic.all([left, right], deciding: true, sign.rawValue).step
        }
        let search = sign == .in ? right.length ?? ExpressionLimits.assumedLength : 0
        return CompiledPart(cost: .cost(left.cost, right.cost, 1, search), length: length, step)
    }

    /// Two ints are computed in place, and a variable is read in its slot without a copy. The function is generic, so
    /// that the compiler specializes it for each operation instead of calling closures.
    private static func arithmetic<Operation: IntegerOperation>(
        _ operation: Operation.Type, _ left: CompiledPart, _ right: CompiledPart, _ isComputing: Bool
    ) -> EvaluationStep {
        let (first, second) = (left.step, right.step)
        switch (left.slot, right.slot, right.constant) {
        case (let slot?, _, .int(let b)?):
            return { (context) throws(EvaluationFailure) in
                try context.step()
                if let a = context.int(at: slot) { return .int(try Operation.whole(a, b)) }
                return try mixed(context.slots[slot], .int(b), &context, isComputing, Operation.any)
            }
        case (let slot?, let other?, _):
            return { (context) throws(EvaluationFailure) in
                try context.step()
                if let a = context.int(at: slot), let b = context.int(at: other) {
                    return .int(try Operation.whole(a, b))
                }
                return try mixed(context.slots[slot], context.slots[other], &context, isComputing, Operation.any)
            }
        case (_, _, .int(let b)?):
            return { (context) throws(EvaluationFailure) in
                try context.step()
                let value = try first(&context)
                if case .int(let a) = value { return .int(try Operation.whole(a, b)) }
                return try mixed(value, .int(b), &context, isComputing, Operation.any)
            }
        default:
            return { (context) throws(EvaluationFailure) in
                try context.step()
                let value = try first(&context)
                let other = try second(&context)
                if case .int(let a) = value, case .int(let b) = other { return .int(try Operation.whole(a, b)) }
                return try mixed(value, other, &context, isComputing, Operation.any)
            }
        }
    }

    @inline(__always)
    private static func mixed(
        _ a: CELValue, _ b: CELValue, _ context: inout EvaluationContext, _ isComputing: Bool,
        _ operation: (CELValue, CELValue, inout EvaluationContext) throws(EvaluationFailure) -> CELValue
    ) throws(EvaluationFailure) -> CELValue {
        if isComputing, let (a, b) = Arithmetic.mixed(a, b) { return try operation(a, b, &context) }
        return try operation(a, b, &context)
    }

    private static func equality(_ left: CompiledPart, _ right: CompiledPart, wanted: Bool) -> EvaluationStep {
        if let slot = left.slot, let other = right.slot {
            return { (context) throws(EvaluationFailure) in
                try context.step()
                if let a = context.int(at: slot), let b = context.int(at: other) { return .bool((a == b) == wanted) }
                return .bool(try context.equal(context.slots[slot], context.slots[other]) == wanted)
            }
        }
        let (first, second) = (left.step, right.step)
        return { (context) throws(EvaluationFailure) in
            try context.step()
            let a = try first(&context)
            let b = try second(&context)
            return .bool(try context.equal(a, b) == wanted)
        }
    }

    private static func order(
        _ left: CompiledPart, _ right: CompiledPart, _ sign: BinaryOperator, _ wanted: OrderingSet
    ) -> EvaluationStep {
        let (first, second, name) = (left.step, right.step, sign.rawValue)
        switch (left.slot, right.constant) {
        case (let slot?, .int(let b)?):
            return { (context) throws(EvaluationFailure) in
                try context.step()
                if let a = context.int(at: slot) { return .bool(wanted.contain(Ordering(a, b))) }
                return .bool(wanted.contain(try context.order(context.slots[slot], .int(b), for: name)))
            }
        case (_, .int(let b)?):
            return { (context) throws(EvaluationFailure) in
                try context.step()
                let value = try first(&context)
                if case .int(let a) = value { return .bool(wanted.contain(Ordering(a, b))) }
                return .bool(wanted.contain(try context.order(value, .int(b), for: name)))
            }
        default:
            return { (context) throws(EvaluationFailure) in
                try context.step()
                let a = try first(&context)
                let b = try second(&context)
                return .bool(wanted.contain(try context.order(a, b, for: name)))
            }
        }
    }

    private static func membership(
        _ left: @escaping EvaluationStep, _ right: @escaping EvaluationStep
    ) -> EvaluationStep {
        { (context) throws(EvaluationFailure) in
            try context.step()
            let value = try left(&context)
            let container = try right(&context)
            switch container {
            case .list(let list):
                for place in 0..<list.count {
                    try context.step()
                    if try context.equal(value, list[place]) { return .bool(true) }
                }
                return .bool(false)
            case .map(let map):
                try context.scan(value.textBytes)
                return .bool(map.value(of: value) != nil)
            default: throw .mismatch("in", value, container)
            }
        }
    }
}

/// The set of orderings for which a comparison is true.
private struct OrderingSet: OptionSet {
    let rawValue: UInt8

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Returns true if the set has this ordering; false for values without an order.
    @inline(__always)
    func contain(_ order: Ordering?) -> Bool {
        switch order {
        case .less: contains(.less)
        case .equal: contains(.equal)
        case .greater: contains(.greater)
        case nil: false
        }
    }

    static let less = OrderingSet(rawValue: 1)
    static let equal = OrderingSet(rawValue: 2)
    static let greater = OrderingSet(rawValue: 4)
}

/// A binary operation with a fast path for two ints and a general path for any two values.
protocol IntegerOperation: SendableMetatype {
    static func whole(_ a: Int64, _ b: Int64) throws(EvaluationFailure) -> Int64
    static func any(
        _ a: CELValue, _ b: CELValue, _ context: inout EvaluationContext
    ) throws(EvaluationFailure) -> CELValue
}

enum IntegerAddition: IntegerOperation {
    static func whole(_ a: Int64, _ b: Int64) throws(EvaluationFailure) -> Int64 {
        try Arithmetic.whole(a.addingReportingOverflow(b))
    }
    static func any(
        _ a: CELValue, _ b: CELValue, _ context: inout EvaluationContext
    ) throws(EvaluationFailure) -> CELValue {
        try Arithmetic.add(a, b, &context)
    }
}

enum IntegerSubtraction: IntegerOperation {
    static func whole(_ a: Int64, _ b: Int64) throws(EvaluationFailure) -> Int64 {
        try Arithmetic.whole(a.subtractingReportingOverflow(b))
    }
    static func any(
        _ a: CELValue, _ b: CELValue, _ context: inout EvaluationContext
    ) throws(EvaluationFailure) -> CELValue {
        try Arithmetic.subtract(a, b)
    }
}

enum IntegerMultiplication: IntegerOperation {
    static func whole(_ a: Int64, _ b: Int64) throws(EvaluationFailure) -> Int64 {
        try Arithmetic.whole(a.multipliedReportingOverflow(by: b))
    }
    static func any(
        _ a: CELValue, _ b: CELValue, _ context: inout EvaluationContext
    ) throws(EvaluationFailure) -> CELValue {
        try Arithmetic.multiply(a, b)
    }
}

enum IntegerDivision: IntegerOperation {
    static func whole(_ a: Int64, _ b: Int64) throws(EvaluationFailure) -> Int64 { try Arithmetic.quotient(a, b) }
    static func any(
        _ a: CELValue, _ b: CELValue, _ context: inout EvaluationContext
    ) throws(EvaluationFailure) -> CELValue {
        try Arithmetic.divide(a, b)
    }
}

enum IntegerModulo: IntegerOperation {
    static func whole(_ a: Int64, _ b: Int64) throws(EvaluationFailure) -> Int64 { try Arithmetic.remainder(a, b) }
    static func any(
        _ a: CELValue, _ b: CELValue, _ context: inout EvaluationContext
    ) throws(EvaluationFailure) -> CELValue {
        try Arithmetic.remainder(a, b)
    }
}
