extension Compiler {
    /// `name(…)`.
    mutating func call(_ name: String, _ arguments: [Syntax], isAbsolute: Bool, at offset: Int) throws(ExpressionFault) -> Code {
        if name == "has", !isAbsolute { return try has(arguments, at: offset) }
        return try function(name, isMethod: false, arguments, at: offset)
    }

    /// `target.name(…)`: a macro, a function with a point in its name, or a method.
    mutating func method(_ target: Syntax, _ name: String, _ arguments: [Syntax], at offset: Int) throws(ExpressionFault) -> Code {
        if case .name(let space, _) = target.form, !isVariable(space) {
            if space == "cel", name == "bind" { return try bind(arguments, at: offset) }
            if Functions.isKnown("\(space).\(name)") {
                return try function("\(space).\(name)", isMethod: false, arguments, at: offset)
            }
        }
        if let macro = Macro(name, arguments.count) { return try compile(macro, target, arguments) }
        return try function(name, isMethod: true, [target] + arguments, at: offset)
    }

    private mutating func has(_ arguments: [Syntax], at offset: Int) throws(ExpressionFault) -> Code {
        guard arguments.count == 1, case .member(let operand, let name) = arguments[0].form else {
            throw ExpressionFault("has() asks whether there is a member, as in has(value.name)", at: offset)
        }
        return Access.has(try compile(operand), name)
    }

    private mutating func bind(_ arguments: [Syntax], at offset: Int) throws(ExpressionFault) -> Code {
        guard arguments.count == 3, case .name(let name, isAbsolute: false) = arguments[0].form else {
            throw ExpressionFault("cel.bind takes a name, its value and what is computed with it, as in cel.bind(x, 2, x * x)", at: offset)
        }
        let value = try compile(arguments[1])
        let slot = firstLocal
        let result = try compile(arguments[2], with: [(name, value.length)])
        let (first, second) = (value.step, result.step)
        return Code(price: .priced(value.price, result.price, 1), length: result.length) { (run) throws(EvaluationFailure) in
            try run.step()
            run.slots[slot] = try first(&run)
            return try second(&run)
        }
    }

    /// A call of what is in the table.
    private mutating func function(_ name: String, isMethod: Bool, _ values: [Syntax], at offset: Int) throws(ExpressionFault) -> Code {
        guard let function = Functions.find(name, isMethod: isMethod, count: values.count) else {
            return try unknown(Functions.advice(name, isMethod: isMethod, count: values.count), at: offset)
        }
        let arguments = try compile(values)
        let price = Int.priced(arguments.map(\.price) + [1])
        let length = name == "dyn" ? arguments[0].length : nil
        let isWidened = dialect == .computing && Functions.ofDoubles.contains(name)
        let steps = arguments.map(\.step)
        if name == "matches", case .string(let pattern)? = arguments[1].constant {
            return try matches(steps[0], pattern, price: price, at: offset)
        }
        switch function {
        case .one(let body):
            let first = steps[0]
            return Code(price: price, length: length) { (run) throws(EvaluationFailure) in
                try run.step()
                let value = try first(&run)
                if isWidened, case .int(let whole) = value { return try body(.double(Double(whole)), &run) }
                return try body(value, &run)
            }
        case .two(let body):
            let (first, second) = (steps[0], steps[1])
            return Code(price: price) { (run) throws(EvaluationFailure) in
                try run.step()
                let value = try first(&run)
                return try body(value, second(&run), &run)
            }
        case .many(let body):
            return Code(price: price) { (run) throws(EvaluationFailure) in
                try run.step()
                var values: [Value] = []
                for step in steps { values.append(try step(&run)) }
                return try body(values, &run)
            }
        }
    }

    /// A match with a pattern that is known: it is read now, and so is found to be wrong now.
    private func matches(_ text: @escaping Step, _ source: String, price: Int, at offset: Int) throws(ExpressionFault) -> Code {
        let pattern: Pattern
        do throws(PatternFault) {
            pattern = try Pattern(source)
        } catch {
            return try unknown(error.description, at: offset)
        }
        return Code(price: price) { (run) throws(EvaluationFailure) in
            try run.step()
            let value = try text(&run)
            guard case .string(let text) = value else { throw .mismatch("matches", value, .string(source)) }
            return .bool(try pattern.matches(text, &run))
        }
    }
}
