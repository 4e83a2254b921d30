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
