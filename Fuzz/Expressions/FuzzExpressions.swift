import Expressions
import JSON

/// Parses the bytes up to the first zero as a formula, and the rest as its JSON input. The formula is rejected with a
/// position within the source, evaluates to an encodable result, or fails with a description. The outcome is the same
/// each time. The checker accepts the formula or points to faults within the source, and what it accepts evaluates
/// likewise.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzExpressions(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let parts = Array(UnsafeBufferPointer(start: start, count: count)).split(
        separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    let source = String(decoding: parts[0], as: UTF8.self)
    let value =
        (parts.count > 1 ? try? JSON(parsing: Array(parts[1])) : nil) ?? [
            "a": 1, "list": [1, 2.5, "x"], "text": "a😀b",
        ]
    for dialect in [Expression.Dialect.computing, .strict] {
        let expression: Expression
        do throws(ExpressionFault) {
            expression = try Expression(source, names: ["value"], dialect: dialect)
        } catch {
            precondition(
                0...source.unicodeScalars.count ~= error.offset, "a fault points outside: \(error) in \(source)")
            precondition(!error.description.isEmpty)
            continue
        }
        precondition(0...ExpressionLimits.cost ~= expression.cost)
        let first = Result { () throws(EvaluationFailure) in try expression.evaluate(value) }
        let second = Result { () throws(EvaluationFailure) in try expression.evaluate(value) }
        switch (first, second) {
        case (.success(let first), .success(let second)):
            precondition(first == second, "two results of \(source)")
            guard (try? first.json()) != nil else {
                preconditionFailure("a result that cannot be written, of \(source)")
            }
        case (.failure(let first), .failure(let second)):
            precondition(first == second && !first.description.isEmpty, "two failures of \(source)")
        default: preconditionFailure("\(source) fails or not as it likes")
        }
    }
    check(source, value)
    return 0
}

/// Checks the source against the type of its input.
private func check(_ source: String, _ value: JSON) {
    do throws(ExpressionFaults) {
        let expression = try Expression(source, types: [("value", type(of: value))])
        precondition(!expression.type.description.isEmpty && expression.reads != nil)
        let first = Result { () throws(EvaluationFailure) in try expression.evaluate(value) }
        let second = Result { () throws(EvaluationFailure) in try expression.evaluate(value) }
        precondition(first == second, "two outcomes of \(source)")
    } catch {
        precondition(!error.all.isEmpty)
        for fault in error.all {
            precondition(!fault.description.isEmpty)
            precondition(
                0 <= fault.range.lowerBound && fault.range.upperBound <= source.unicodeScalars.count,
                "a fault points outside: \(fault) in \(source)")
        }
    }
}

/// A type of a value: whole numbers are decimals, so that conversions take place.
private func type(of value: JSON) -> ExpressionType {
    switch value {
    case .null: .null
    case .bool: .bool
    case .number(let number): number.int64 == nil ? .double : .decimal
    case .string: .string
    case .array(let elements): .list(elements.map(type(of:)).reduce(.null) { $0.joined(with: $1) })
    case .object(let object): .object(ObjectType(object.map { .init($0.key, type(of: $0.value)) }))
    }
}
