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
    public let price: Int
    /// The names that values are given for, in order.
    public let names: [String]
    let program: Program

    /// Reads and checks a formula that may speak of `names`.
    public init(_ source: String, names: [String], dialect: Dialect = .computing) throws(ExpressionFault) {
        try self.init(source, names: names, dialect: dialect, unknown: .refused)
    }

    /// What becomes of a name or a function that is not there.
    enum Unknown {
        /// The formula is refused.
        case refused
        /// The part of the formula that speaks of it fails when it is computed, as in CEL without its checker.
        case failing
    }

    init(_ source: String, names: [String], dialect: Dialect, unknown: Unknown) throws(ExpressionFault) {
        var parser = try Parser(source)
        let syntax = try parser.formula()
        var compiler = Compiler(names: names, dialect: dialect, unknown: unknown)
        let code = try compiler.compile(syntax)
        guard code.price <= ExpressionLimits.price else {
            throw ExpressionFault(
                "this would take \(code.price) steps, more than the \(ExpressionLimits.price) allowed; nest fewer macros, or over shorter lists",
                at: 0)
        }
        self.source = source
        self.names = names
        price = code.price
        program = Program(step: code.step, inputs: names.count, slots: compiler.slots)
    }

    /// Computes it, with a value for each name in the order in which they were declared.
    public func evaluate(_ values: [JSON]) throws(EvaluationFailure) -> JSON {
        var steps = 0
        return try evaluate(values, steps: &steps)
    }

    /// Computes it, and adds the steps that it takes to `steps`, also where it fails.
    public func evaluate(_ values: [JSON], steps: inout Int) throws(EvaluationFailure) -> JSON {
        guard values.count == names.count else {
            throw EvaluationFailure("\(values.count) values were given for \(names.count) names")
        }
        return try program.run(values, &steps)
    }

    /// Computes it for the one name that was declared.
    public func evaluate(_ value: JSON) throws(EvaluationFailure) -> JSON {
        var steps = 0
        return try evaluate(value, steps: &steps)
    }

    /// Computes it for the one name that was declared, and adds the steps that it takes to `steps`.
    public func evaluate(_ value: JSON, steps: inout Int) throws(EvaluationFailure) -> JSON {
        guard names.count == 1 else { throw EvaluationFailure("1 value was given for \(names.count) names") }
        return try program.run(value, &steps)
    }

    /// Computes it for the two names that were declared.
    public func evaluate(_ first: JSON, _ second: JSON) throws(EvaluationFailure) -> JSON {
        var steps = 0
        return try evaluate(first, second, steps: &steps)
    }

    /// Computes it for the two names that were declared, and adds the steps that it takes to `steps`.
    public func evaluate(_ first: JSON, _ second: JSON, steps: inout Int) throws(EvaluationFailure) -> JSON {
        guard names.count == 2 else { throw EvaluationFailure("2 values were given for \(names.count) names") }
        return try program.run(first, second, &steps)
    }
}

/// Why a formula cannot be.
public struct ExpressionFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, and what would be right.
    public let description: String
    /// Where in the source it is, in Unicode code points.
    public let offset: Int

    init(_ description: String, at offset: Int) {
        self.description = description
        self.offset = offset
    }
}

/// Why a formula has no value for what it was given.
public struct EvaluationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
