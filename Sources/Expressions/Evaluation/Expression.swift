public import JSON

/// A formula in CEL, the Common Expression Language: read, checked and priced once, then computed for any number of values.
public struct Expression: Sendable {
    /// Which numbers may be computed with which.
    public enum Dialect: Sendable {
        /// CEL to the letter: `1 + 2.5` fails.
        case strict
        /// CEL where int and double may be mixed, as JSON does not tell them apart: `1 + 2.5` is 3.5.
        case computing
    }

    /// What it was made from.
    public let source: String
    /// What an evaluation costs, in steps, where every literal counts in full and a list from outside as `ExpressionLimits.assumedLength`.
    public let cost: Int
    /// The names that values are given for, in order.
    public let names: [String]
    let program: CompiledExpression

    /// Reads and checks a formula that may speak of `names`.
    public init(_ source: String, names: [String], dialect: Dialect = .computing) throws(ExpressionFault) {
        try self.init(source, names: names, dialect: dialect, unknown: .refused)
    }

    /// What becomes of a name or a function that is not there.
    enum UnknownNames {
        /// The formula is refused.
        case refused
        /// The part of the formula that speaks of it fails when it is computed, as in CEL without its checker.
        case failing
    }

    init(_ source: String, names: [String], dialect: Dialect, unknown: UnknownNames) throws(ExpressionFault) {
        var parser = try Parser(source)
        let syntax = try parser.formula()
        var compiler = Compiler(names: names, dialect: dialect, unknown: unknown)
        let code = try compiler.compile(syntax)
        guard code.cost <= ExpressionLimits.cost else {
            throw ExpressionFault(
                "this would take \(code.cost) steps, more than the \(ExpressionLimits.cost) allowed; nest fewer macros, or over shorter lists",
                at: 0)
        }
        self.source = source
        self.names = names
        cost = code.cost
        program = CompiledExpression(step: code.step, inputs: names.count, slots: compiler.slots)
    }

    /// Computes it, with a value for each name in the order in which they were declared.
    public func evaluate(_ values: [JSON]) throws(EvaluationFailure) -> JSON {
        guard values.count == names.count else {
            throw EvaluationFailure("\(values.count) values were given for \(names.count) names")
        }
        return try program.run(values)
    }

    /// Computes it for the one name that was declared.
    public func evaluate(_ value: JSON) throws(EvaluationFailure) -> JSON {
        guard names.count == 1 else { throw EvaluationFailure("1 value was given for \(names.count) names") }
        return try program.run(value)
    }

    /// Computes it for the two names that were declared.
    public func evaluate(_ first: JSON, _ second: JSON) throws(EvaluationFailure) -> JSON {
        guard names.count == 2 else { throw EvaluationFailure("2 values were given for \(names.count) names") }
        return try program.run(first, second)
    }
}
