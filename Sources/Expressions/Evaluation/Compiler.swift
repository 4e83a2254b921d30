/// The compiler from a syntax tree to evaluation steps. It finds unknown names and functions and wrong numbers of
/// arguments.
struct Compiler {
    let names: [String]
    let dialect: Expression.Dialect
    let unknown: Expression.UnknownNames
    /// The conversions of values that are read from JSON, by the part that reads them.
    var readings: [Int: Reading] = [:]
    /// The definitions that the formula may call.
    var definitions: [String: Definition] = [:]
    /// The variables of the enclosing macros.
    var locals: [(name: String, length: Int?)] = []
    /// The number of slots that the formula needs.
    private(set) var slots: Int

    init(names: [String], dialect: Expression.Dialect, unknown: Expression.UnknownNames) {
        self.names = names
        self.dialect = dialect
        self.unknown = unknown
        slots = names.count
    }

    mutating func compile(_ syntax: Syntax) throws(ExpressionFault) -> CompiledPart {
        switch syntax.form {
        case .method(let target, let name, let arguments): return try method(target, name, arguments, at: syntax.offset)
        case .list(let elements): return try list(elements)
        case .not(let operand): return try not(operand)
        case .binary(let sign, let left, let right): return try binary(sign, left, right)
        case .and, .or, .conditional: return try logic(syntax)
        case .literal, .name, .member, .index, .call, .map, .negative, .defined: return try value(syntax)
        }
    }

    private mutating func logic(_ syntax: Syntax) throws(ExpressionFault) -> CompiledPart {
        switch syntax.form {
        case .and(let parts): return try conditions(parts, deciding: false, "&&")
        case .or(let parts): return try conditions(parts, deciding: true, "||")
        case .conditional(let condition, let whenTrue, let whenFalse):
            return try conditional(condition, whenTrue, whenFalse)
        default: return try compile(syntax)
        }
    }

    private mutating func value(_ syntax: Syntax) throws(ExpressionFault) -> CompiledPart {
        switch syntax.form {
        case .literal(let value): return CompiledPart(value)
        case .name, .member: return try path(syntax)
        case .index(let operand, let index): return try self.index(operand, index, readings[syntax.id])
        case .call(let name, let arguments, let isAbsolute):
            return try call(name, arguments, isAbsolute: isAbsolute, at: syntax.offset)
        case .map(let entries): return try map(entries)
        case .negative(let operand): return try negative(operand)
        case .defined(let name, let arguments, let body): return try defined(name, arguments, body)
        default: return try compile(syntax)
        }
    }

    // Each form has a function of its own: a function's whole frame lies on the stack once per nesting level of a
    // formula.

    private mutating func index(
        _ operand: Syntax, _ index: Syntax, _ reading: Reading?
    ) throws(ExpressionFault) -> CompiledPart {
        let operand = try compile(operand)
        return MemberAccess.index(operand, try compile(index), reading)
    }

    private mutating func not(_ operand: Syntax) throws(ExpressionFault) -> CompiledPart {
        Logic.not(try compile(operand))
    }

    private mutating func negative(_ operand: Syntax) throws(ExpressionFault) -> CompiledPart {
        let operand = try compile(operand)
        let step = operand.step
        return CompiledPart(cost: .cost(operand.cost, 1)) { (context) throws(EvaluationFailure) in
            try context.step()
            return try Arithmetic.negate(step(&context))
        }
    }

    private mutating func binary(
        _ sign: BinaryOperator, _ left: Syntax, _ right: Syntax
    ) throws(ExpressionFault) -> CompiledPart {
        let left = try compile(left)
        return OperatorCompiler.code(sign, left, try compile(right), dialect)
    }

    private mutating func conditions(
        _ parts: [Syntax], deciding: Bool, _ name: String
    ) throws(ExpressionFault) -> CompiledPart {
        Logic.all(try compile(parts), deciding: deciding, name)
    }

    private mutating func conditional(
        _ condition: Syntax, _ whenTrue: Syntax, _ whenFalse: Syntax
    ) throws(ExpressionFault) -> CompiledPart {
        let condition = try compile(condition)
        let first = try compile(whenTrue)
        return Logic.conditional(condition, first, try compile(whenFalse))
    }

    mutating func compile(_ parts: [Syntax]) throws(ExpressionFault) -> [CompiledPart] {
        var codes: [CompiledPart] = []
        for part in parts { codes.append(try compile(part)) }
        return codes
    }

    /// Compiles a part with additional variables, in the slots from `firstLocal` on.
    mutating func compile(
        _ syntax: Syntax, with variables: [(name: String, length: Int?)]
    ) throws(ExpressionFault) -> CompiledPart {
        locals += variables
        slots = max(slots, names.count + locals.count)
        defer { locals.removeLast(variables.count) }
        return try compile(syntax)
    }

    /// The slot of the next macro variable.
    var firstLocal: Int { names.count + locals.count }

    /// Rejects the formula, or returns a part that fails when it is evaluated.
    func unknown(_ description: String, at offset: Int) throws(ExpressionFault) -> CompiledPart {
        switch unknown {
        case .refused: throw ExpressionFault(description, at: offset)
        case .failing:
            return CompiledPart(cost: 0) { (_) throws(EvaluationFailure) in throw EvaluationFailure(description) }
        }
    }

    private mutating func list(_ elements: [Syntax]) throws(ExpressionFault) -> CompiledPart {
        let codes = try compile(elements)
        let constants = codes.compactMap(\.constant)
        if constants.count == codes.count { return CompiledPart(.list(.values(constants))) }
        let steps = codes.map(\.step)
        return CompiledPart(cost: .cost(codes.map(\.cost) + [1, codes.count]), length: codes.count) {
            (context) throws(EvaluationFailure) in
            try context.step()
            try context.make(elements: steps.count)
            var values: [CELValue] = []
            values.reserveCapacity(steps.count)
            for step in steps { values.append(try step(&context)) }
            return .list(.values(values))
        }
    }

    private mutating func map(_ entries: [(key: Syntax, value: Syntax)]) throws(ExpressionFault) -> CompiledPart {
        var steps: [(key: EvaluationStep, value: EvaluationStep)] = []
        var cost = 1
        var constants: Entries? = Entries()
        for entry in entries {
            let key = try compile(entry.key)
            let value = try compile(entry.value)
            steps.append((key.step, value.step))
            cost = .cost(cost, key.cost, value.cost, 4)
            if let keyConstant = key.constant, let valueConstant = value.constant {
                // An invalid key makes the map fail at each evaluation, as CEL specifies.
                do { try constants?.insert(keyConstant, valueConstant) } catch { constants = nil }
            } else {
                constants = nil
            }
        }
        if let constants { return CompiledPart(.map(.entries(constants))) }
        let all = steps
        return CompiledPart(cost: cost, length: all.count) { (context) throws(EvaluationFailure) in
            try context.step()
            var entries = Entries()
            for step in all {
                let key = try step.key(&context)
                try context.insert(key, step.value(&context), into: &entries)
            }
            return .map(.entries(entries))
        }
    }
}

extension Compiler {
    /// Compiles a call of a definition.
    mutating func defined(
        _ name: String, _ arguments: [Syntax], _ body: Syntax
    ) throws(ExpressionFault) -> CompiledPart {
        guard let definition = definitions[name] else {
            return try unknown("unknown function '\(name)'", at: body.offset)
        }
        let outer = locals
        let first = firstLocal
        var values: [(step: EvaluationStep, reading: Reading?)] = []
        var cost = 1
        var lengths: [Int?] = []
        for (index, argument) in arguments.enumerated() {
            // The variables of an argument must not take the places of the arguments before it.
            let part = try compile(argument, with: Array(repeating: ("", nil), count: index))
            values.append((part.step, definition.parameters[index].type.reading))
            cost = .cost(cost, part.cost)
            lengths.append(part.length)
        }
        locals = outer.map { ("", $0.length) }
        defer { locals = outer }
        let result = try compile(body, with: zip(definition.parameters, lengths).map { ($0.name, $1) })
        let (step, place, all) = (result.step, definition.place, values)
        return CompiledPart(cost: .cost(cost, result.cost), length: result.length) {
            (context) throws(EvaluationFailure) in
            try context.step()
            for (index, value) in all.enumerated() {
                let given = try value.step(&context)
                context.slots[first + index] = try value.reading?.value(given, &context) ?? given
            }
            do throws(EvaluationFailure) {
                return try step(&context)
            } catch {
                if context.isSpent { throw error }
                throw EvaluationFailure("in \(place): \(error)")
            }
        }
    }
}
