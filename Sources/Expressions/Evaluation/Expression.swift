package import JSON

/// A formula in CEL, the Common Expression Language. It is parsed, checked and costed once, and then evaluated any
/// number of times.
package struct Expression: Sendable {
    /// The rule for operands of different number types.
    package enum Dialect: Sendable {
        /// Standard CEL: `1 + 2.5` fails.
        case strict
        /// CEL with mixed int and double operands, because JSON does not distinguish them: `1 + 2.5` is 3.5.
        case computing
    }

    /// The source text.
    package let source: String
    /// The estimated cost of an evaluation in steps. Literals count with their length, and input lists as
    /// `ExpressionLimits.assumedLength` elements.
    package let cost: Int
    /// The input names, in order.
    package let names: [String]
    /// The static type of the result; `dyn` if the formula was made without types.
    package let type: ExpressionType
    /// The index whose rows the result is, as `index.byOwner`; nil for other results.
    package let rangeOf: String?
    /// The parts of the declared variables that the formula reads; nil if it was made without types.
    package let reads: [ExpressionRead]?
    let program: CompiledExpression

    /// Parses and checks a formula that may use `names`.
    package init(_ source: String, names: [String], dialect: Dialect = .computing) throws(ExpressionFault) {
        try self.init(source, names: names, dialect: dialect, unknown: .refused)
    }

    /// The treatment of unknown names and functions.
    enum UnknownNames {
        /// The formula is rejected.
        case refused
        /// The part with the unknown name fails when it is evaluated, as in CEL without its checker.
        case failing
    }

    init(_ source: String, names: [String], dialect: Dialect, unknown: UnknownNames) throws(ExpressionFault) {
        var parser = try Parser(source)
        try self.init(source, parser.formula(), names: names, dialect: dialect, unknown: unknown)
    }

    private init(
        _ source: String, _ syntax: Syntax, names: [String], dialect: Dialect, unknown: UnknownNames,
        type: ExpressionType = .dyn, rangeOf: String? = nil, reads: [ExpressionRead]? = nil,
        readings: [Int: Reading] = [:],
        inputs: [Reading?] = [], definitions: [String: Definition] = [:]
    ) throws(ExpressionFault) {
        var compiler = Compiler(names: names, dialect: dialect, unknown: unknown)
        compiler.definitions = definitions
        compiler.readings = readings
        let code = try compiler.compile(syntax)
        guard code.cost <= ExpressionLimits.cost else {
            throw ExpressionFault(
                "this would take \(code.cost) steps, more than the \(ExpressionLimits.cost) allowed; nest fewer macros, or use shorter lists",
                at: 0)
        }
        self.source = source
        self.names = names
        cost = code.cost
        self.type = type
        self.rangeOf = rangeOf
        self.reads = reads
        program = CompiledExpression(
            step: code.step, inputs: names.count, slots: compiler.slots, readings: inputs)
    }

    /// Parses a formula and checks it against the types of its names. `expected` is the type that the result must fit.
    /// `definitions` are the functions that it may call besides those of the language.
    /// Throws all faults.
    package init(
        _ source: String, types: [(name: String, type: ExpressionType)], expecting expected: ExpressionType = .dyn,
        definitions: [String: Definition] = [:], assuming conditions: [String] = []
    ) throws(ExpressionFaults) {
        let syntax: Syntax
        do throws(ExpressionFault) {
            var parser = try Parser(source)
            syntax = try DefinitionExpansion.expand(parser.formula(), definitions)
        } catch {
            throw ExpressionFaults([error])
        }
        var checker = Checker(source, types)
        checker.definitions = definitions
        for condition in conditions { checker.narrowings += Checker.narrowings(from: condition) }
        let result = checker.value(syntax)
        let type = result.mapped
        let rangeOf: String? = if case .range(let index) = result { index.name } else { nil }
        if checker.faults.isEmpty, let mismatch = expected.mismatch(with: type) {
            let place = mismatch.pointer.tokens.isEmpty ? "" : " at \(mismatch.pointer)"
            checker.fault("the result has another type\(place): \(mismatch)", syntax, allowed: mismatch.allowed)
        }
        guard checker.faults.isEmpty else { throw ExpressionFaults(checker.faults) }
        let inputs = types.map(\.type.reading)
        do throws(ExpressionFault) {
            try self.init(
                source, syntax, names: types.map(\.name), dialect: .computing, unknown: .refused, type: type,
                rangeOf: rangeOf, reads: checker.allReads, readings: checker.readings,
                inputs: inputs.contains { $0 != nil } ? inputs : [], definitions: definitions)
        } catch {
            throw ExpressionFaults([error])
        }
    }

    /// Evaluates the formula with one value per name, in order of declaration.
    package func evaluate(_ values: [JSON]) throws(EvaluationFailure) -> JSON {
        var steps = 0
        return try evaluate(values, steps: &steps)
    }

    /// Evaluates the formula and adds the steps taken to `steps`, also on failure.
    package func evaluate(_ values: [JSON], steps: inout Int) throws(EvaluationFailure) -> JSON {
        guard values.count == names.count else {
            throw EvaluationFailure("\(values.count) values were given for \(names.count) names")
        }
        return try program.run(values, &steps)
    }

    /// Evaluates the formula with inputs that may be lazy, in order of declaration, and adds the steps taken to `steps`,
    /// also on failure.
    package func evaluate(_ inputs: [ExpressionInput], steps: inout Int) throws(EvaluationFailure) -> JSON {
        guard inputs.count == names.count else {
            throw EvaluationFailure("\(inputs.count) values were given for \(names.count) names")
        }
        return try program.run(inputs, &steps)
    }

    /// Evaluates the formula with those inputs of a greater frame that stand at `places`, in order of declaration, and
    /// adds the steps taken to `steps`, also on failure.
    package func evaluate(
        _ frame: [ExpressionInput], at places: [Int], steps: inout Int
    ) throws(EvaluationFailure) -> JSON {
        guard places.count == names.count else {
            throw EvaluationFailure("\(places.count) values were given for \(names.count) names")
        }
        return try program.run(frame, at: places, &steps)
    }

    /// Evaluates the formula and writes the result as JSON text, in which a decimal may have 34 digits. A JSON value
    /// holds 18.
    package func text(_ values: [JSON]) throws(EvaluationFailure) -> String {
        guard values.count == names.count else {
            throw EvaluationFailure("\(values.count) values were given for \(names.count) names")
        }
        return try program.text(values)
    }

    /// Evaluates a formula with one declared name.
    package func evaluate(_ value: JSON) throws(EvaluationFailure) -> JSON {
        var steps = 0
        return try evaluate(value, steps: &steps)
    }

    /// Evaluates a formula with one declared name and adds the steps taken to `steps`.
    package func evaluate(_ value: JSON, steps: inout Int) throws(EvaluationFailure) -> JSON {
        guard names.count == 1 else { throw EvaluationFailure("1 value was given for \(names.count) names") }
        guard program.readings.isEmpty else { return try program.run([value], &steps) }
        return try program.run(value, &steps)
    }

    /// Evaluates a formula with two declared names.
    package func evaluate(_ first: JSON, _ second: JSON) throws(EvaluationFailure) -> JSON {
        var steps = 0
        return try evaluate(first, second, steps: &steps)
    }

    /// Evaluates a formula with two declared names and adds the steps taken to `steps`.
    package func evaluate(_ first: JSON, _ second: JSON, steps: inout Int) throws(EvaluationFailure) -> JSON {
        guard names.count == 2 else { throw EvaluationFailure("2 values were given for \(names.count) names") }
        guard program.readings.isEmpty else { return try program.run([first, second], &steps) }
        return try program.run(first, second, &steps)
    }
}
