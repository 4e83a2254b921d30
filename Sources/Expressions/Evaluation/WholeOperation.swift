/// What is computed with two ints in place, and with any two values otherwise.
protocol WholeOperation: SendableMetatype {
    static func whole(_ a: Int64, _ b: Int64) throws(EvaluationFailure) -> Int64
    static func any(_ a: Value, _ b: Value, _ run: inout Run) throws(EvaluationFailure) -> Value
}

enum Sum: WholeOperation {
    static func whole(_ a: Int64, _ b: Int64) throws(EvaluationFailure) -> Int64 { try Arithmetic.whole(a.addingReportingOverflow(b)) }
    static func any(_ a: Value, _ b: Value, _ run: inout Run) throws(EvaluationFailure) -> Value { try Arithmetic.add(a, b, &run) }
}

enum Difference: WholeOperation {
    static func whole(_ a: Int64, _ b: Int64) throws(EvaluationFailure) -> Int64 { try Arithmetic.whole(a.subtractingReportingOverflow(b)) }
    static func any(_ a: Value, _ b: Value, _ run: inout Run) throws(EvaluationFailure) -> Value { try Arithmetic.subtract(a, b) }
}

enum Product: WholeOperation {
    static func whole(_ a: Int64, _ b: Int64) throws(EvaluationFailure) -> Int64 {
        try Arithmetic.whole(a.multipliedReportingOverflow(by: b))
    }
    static func any(_ a: Value, _ b: Value, _ run: inout Run) throws(EvaluationFailure) -> Value { try Arithmetic.multiply(a, b) }
}

enum Quotient: WholeOperation {
    static func whole(_ a: Int64, _ b: Int64) throws(EvaluationFailure) -> Int64 { try Arithmetic.quotient(a, b) }
    static func any(_ a: Value, _ b: Value, _ run: inout Run) throws(EvaluationFailure) -> Value { try Arithmetic.divide(a, b) }
}

enum Remainder: WholeOperation {
    static func whole(_ a: Int64, _ b: Int64) throws(EvaluationFailure) -> Int64 { try Arithmetic.remainder(a, b) }
    static func any(_ a: Value, _ b: Value, _ run: inout Run) throws(EvaluationFailure) -> Value { try Arithmetic.remainder(a, b) }
}
