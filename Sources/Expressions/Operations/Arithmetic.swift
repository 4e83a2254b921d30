import JSON

/// The operators `+ - * / %` and the unary minus. Operations on two ints do not come here: `OperatorCompiler` computes
/// them in place.
enum Arithmetic {
    static func add(
        _ left: CELValue, _ right: CELValue, _ context: inout EvaluationContext
    ) throws(EvaluationFailure) -> CELValue {
        switch (left, right) {
        case (.uint(let a), .uint(let b)): return .uint(try whole(a.addingReportingOverflow(b)))
        case (.double(let a), .double(let b)): return .double(a + b)
        case (.string(let a), .string(let b)):
            try context.make(a.utf8.count + b.utf8.count)
            return .string(a + b)
        case (.bytes(let a), .bytes(let b)):
            try context.make(a.count + b.count)
            return .bytes(a + b)
        case (.list(let a), .list(let b)):
            try context.make(elements: a.count + b.count)
            return .list(.values(a.values + b.values))
        case (.duration(let a), .duration(let b)):
            return .duration(CELDuration(nanoseconds: try span(a.nanoseconds.addingReportingOverflow(b.nanoseconds))))
        case (.timestamp(let a), .duration(let b)), (.duration(let b), .timestamp(let a)):
            return .timestamp(try moment(a.adding(Int128(b.nanoseconds))))
        case (.decimal, _), (_, .decimal):
            return try decimal("+", left, right) { (a, b) throws(LongDecimal.ArithmeticFault) in try a + b }
        default: throw .mismatch("+", left, right)
        }
    }

    static func subtract(_ left: CELValue, _ right: CELValue) throws(EvaluationFailure) -> CELValue {
        switch (left, right) {
        case (.uint(let a), .uint(let b)): return .uint(try whole(a.subtractingReportingOverflow(b)))
        case (.double(let a), .double(let b)): return .double(a - b)
        case (.duration(let a), .duration(let b)):
            return .duration(
                CELDuration(nanoseconds: try span(a.nanoseconds.subtractingReportingOverflow(b.nanoseconds))))
        case (.timestamp(let a), .duration(let b)): return .timestamp(try moment(a.adding(-Int128(b.nanoseconds))))
        case (.timestamp(let a), .timestamp(let b)):
            guard let period = a.since(b) else { throw tooLong }
            return .duration(period)
        case (.decimal, _), (_, .decimal):
            return try decimal("-", left, right) { (a, b) throws(LongDecimal.ArithmeticFault) in try a - b }
        default: throw .mismatch("-", left, right)
        }
    }

    static func multiply(_ left: CELValue, _ right: CELValue) throws(EvaluationFailure) -> CELValue {
        switch (left, right) {
        case (.uint(let a), .uint(let b)): return .uint(try whole(a.multipliedReportingOverflow(by: b)))
        case (.double(let a), .double(let b)): return .double(a * b)
        case (.decimal, _), (_, .decimal):
            return try decimal("*", left, right) { (a, b) throws(LongDecimal.ArithmeticFault) in try a * b }
        default: throw .mismatch("*", left, right)
        }
    }

    static func divide(_ left: CELValue, _ right: CELValue) throws(EvaluationFailure) -> CELValue {
        switch (left, right) {
        case (.uint(let a), .uint(let b)):
            if b == 0 { throw byZero }
            return .uint(a / b)
        case (.double(let a), .double(let b)): return .double(a / b)
        case (.decimal, _), (_, .decimal):
            return try decimal("/", left, right) { (a, b) throws(LongDecimal.ArithmeticFault) in try a / b }
        default: throw .mismatch("/", left, right)
        }
    }

    static func remainder(_ left: CELValue, _ right: CELValue) throws(EvaluationFailure) -> CELValue {
        switch (left, right) {
        case (.uint(let a), .uint(let b)):
            if b == 0 { throw byZero }
            return .uint(a % b)
        case (.decimal, _), (_, .decimal):
            return try decimal("%", left, right) { (a, b) throws(LongDecimal.ArithmeticFault) in try a % b }
        default: throw .mismatch("%", left, right)
        }
    }

    @inline(__always)
    static func quotient(_ a: Int64, _ b: Int64) throws(EvaluationFailure) -> Int64 {
        if b == 0 { throw byZero }
        return try whole(a.dividedReportingOverflow(by: b))
    }

    @inline(__always)
    static func remainder(_ a: Int64, _ b: Int64) throws(EvaluationFailure) -> Int64 {
        if b == 0 { throw byZero }
        return b == -1 ? 0 : a % b
    }

    /// Computes with a decimal and a decimal or an integer.
    private static func decimal(
        _ name: String, _ left: CELValue, _ right: CELValue,
        _ operation: (LongDecimal, LongDecimal) throws(LongDecimal.ArithmeticFault) -> LongDecimal
    ) throws(EvaluationFailure) -> CELValue {
        guard let (a, b) = LongDecimal.pair(left, right) else { throw .mismatch(name, left, right) }
        return .decimal(
            try LongDecimal.computed { () throws(LongDecimal.ArithmeticFault) in try operation(a, b) })
    }

    static func negate(_ value: CELValue) throws(EvaluationFailure) -> CELValue {
        switch value {
        case .int(let value): return .int(try whole(Int64(0).subtractingReportingOverflow(value)))
        case .double(let value): return .double(-value)
        case .decimal(let value): return .decimal(-value)
        default: throw .mismatch("-", value)
        }
    }

    /// Converts an int and a double to two doubles; nil for any other pair.
    @inline(__always)
    static func mixed(_ left: CELValue, _ right: CELValue) -> (CELValue, CELValue)? {
        switch (left, right) {
        case (.int(let whole), .double): (.double(Double(whole)), right)
        case (.double, .int(let whole)): (left, .double(Double(whole)))
        default: nil
        }
    }

    @inline(__always)
    static func whole<Number>(_ result: (partialValue: Number, overflow: Bool)) throws(EvaluationFailure) -> Number {
        if result.overflow { throw overflow }
        return result.partialValue
    }

    private static func span(_ result: (partialValue: Int64, overflow: Bool)) throws(EvaluationFailure) -> Int64 {
        if result.overflow { throw tooLong }
        return result.partialValue
    }

    private static func moment(_ moment: CELTimestamp?) throws(EvaluationFailure) -> CELTimestamp {
        guard let moment else { throw EvaluationFailure("the result is outside the years 1 to 9999") }
        return moment
    }

    static var overflow: EvaluationFailure {
        EvaluationFailure(
            "integer overflow: the result does not fit 64 bits; convert with double() if that is exact enough")
    }
    private static var tooLong: EvaluationFailure {
        EvaluationFailure("the resulting duration is longer than 292 years")
    }
    private static var byZero: EvaluationFailure { EvaluationFailure("division by zero") }
}
