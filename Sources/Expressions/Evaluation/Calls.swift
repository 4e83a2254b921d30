extension Compiler {
    /// Compiles `name(…)`.
    mutating func call(
        _ name: String, _ arguments: [Syntax], isAbsolute: Bool, at offset: Int
    ) throws(ExpressionFault) -> CompiledPart {
        if name == "has", !isAbsolute { return try has(arguments, at: offset) }
        if name == "size", !isAbsolute, arguments.count == 1, case .member(let target, let index) = arguments[0].form,
            let slot = self.index(target, index)
        {
            return groupCount(slot, of: index)
        }
        if arguments.isEmpty, let slot = names.lastIndex(of: name + "()") { return generator(name, slot) }
        return try function(name, isMethod: false, arguments, at: offset)
    }

    /// Compiles `target.name(…)`: a macro, a function with a dot in its name, or a method.
    mutating func method(
        _ target: Syntax, _ name: String, _ arguments: [Syntax], at offset: Int
    ) throws(ExpressionFault) -> CompiledPart {
        if let part = try grouped(target, name, arguments) { return part }
        if let part = try qualified(target, name, arguments, at: offset) { return part }
        if let macro = Macro(name, arguments.count, isStrict: dialect == .strict) {
            return try compile(macro, target, arguments)
        }
        return try plain(target, name, arguments, at: offset)
    }

    // The kinds of methods have functions of their own, as the forms of a formula have.

    /// Compiles a method of an index; returns nil for another one.
    private mutating func grouped(
        _ target: Syntax, _ name: String, _ arguments: [Syntax]
    ) throws(ExpressionFault) -> CompiledPart? {
        if let slot = index(target, name) { return try group(slot, of: name, arguments) }
        guard name == "size", arguments.isEmpty, case .member(let target, let index) = target.form,
            let slot = self.index(target, index)
        else { return nil }
        return groupCount(slot, of: index)
    }

    /// Compiles a function with a dot in its name; returns nil for a method.
    private mutating func qualified(
        _ target: Syntax, _ name: String, _ arguments: [Syntax], at offset: Int
    ) throws(ExpressionFault) -> CompiledPart? {
        guard case .name(let space, _) = target.form, !isVariable(space) else { return nil }
        if space == "cel", name == "bind" { return try bind(arguments, at: offset) }
        guard Functions.isKnown("\(space).\(name)", isStrict: dialect == .strict) else { return nil }
        return try function("\(space).\(name)", isMethod: false, arguments, at: offset)
    }

    /// Compiles a method of a range or of a value.
    private mutating func plain(
        _ target: Syntax, _ name: String, _ arguments: [Syntax], at offset: Int
    ) throws(ExpressionFault) -> CompiledPart {
        if let method = RangeMethod(name, arguments.count), hasIndexes { return try range(method, target, arguments) }
        return try function(name, isMethod: true, [target] + arguments, at: offset)
    }

    /// Compiles the call of a generator: a declared name with parentheses, whose input is a map that has a new value each
    /// time that it is read.
    private func generator(_ name: String, _ slot: Int) -> CompiledPart {
        CompiledPart(cost: 10) { (context) throws(EvaluationFailure) in
            try context.work(10)
            if case .map(let map) = context.slots[slot], let value = map.value(named: name) { return value }
            throw EvaluationFailure("\(name)() has no value here")
        }
    }

    private mutating func has(_ arguments: [Syntax], at offset: Int) throws(ExpressionFault) -> CompiledPart {
        guard arguments.count == 1, case .member(let operand, let name) = arguments[0].form else {
            throw ExpressionFault("has() takes a member, as in has(value.name)", at: offset)
        }
        return MemberAccess.has(try compile(operand), name)
    }

    private mutating func bind(_ arguments: [Syntax], at offset: Int) throws(ExpressionFault) -> CompiledPart {
        guard arguments.count == 3, case .name(let name, isAbsolute: false) = arguments[0].form else {
            throw ExpressionFault(
                "cel.bind takes a name, a value and an expression, as in cel.bind(x, 2, x * x)", at: offset)
        }
        let value = try compile(arguments[1])
        let slot = firstLocal
        let result = try compile(arguments[2], with: [(name, value.length)])
        let (first, second) = (value.step, result.step)
        return CompiledPart(cost: .cost(value.cost, result.cost, 1), length: result.length) {
            (context) throws(EvaluationFailure) in
            try context.step()
            context.slots[slot] = try first(&context)
            return try second(&context)
        }
    }

    /// Compiles a call of a function in the table.
    private mutating func function(
        _ name: String, isMethod: Bool, _ values: [Syntax], at offset: Int
    ) throws(ExpressionFault) -> CompiledPart {
        let isStrict = dialect == .strict
        guard let function = Functions.find(name, isMethod: isMethod, count: values.count, isStrict: isStrict) else {
            return try unknown(
                Functions.advice(name, isMethod: isMethod, count: values.count, isStrict: isStrict), at: offset)
        }
        return try called(name, function, compile(values), at: offset)
    }

    /// Returns the code of a call. A function of its own, so that nested calls have smaller stack frames.
    @inline(never)
    private func called(
        _ name: String, _ function: Function, _ arguments: [CompiledPart], at offset: Int
    ) throws(ExpressionFault) -> CompiledPart {
        let cost = Int.cost(arguments.map(\.cost) + [1])
        let length = Functions.length(name, arguments.map { ($0.length, $0.constant) })
        let isWidened = dialect == .computing && Functions.ofDoubles.contains(name)
        let steps = arguments.map(\.step)
        if name == "matches", case .string(let pattern)? = arguments[1].constant {
            return try matches(steps[0], pattern, cost: cost, at: offset)
        }
        switch function {
        case .one(let body):
            let first = steps[0]
            return CompiledPart(cost: cost, length: length) { (context) throws(EvaluationFailure) in
                try context.step()
                let value = try first(&context)
                if isWidened, case .int(let whole) = value { return try body(.double(Double(whole)), &context) }
                return try body(value, &context)
            }
        case .two(let body):
            let (first, second) = (steps[0], steps[1])
            return CompiledPart(cost: cost, length: length) { (context) throws(EvaluationFailure) in
                try context.step()
                let value = try first(&context)
                return try body(value, second(&context), &context)
            }
        case .many(let body):
            return CompiledPart(cost: cost, length: length) { (context) throws(EvaluationFailure) in
                try context.step()
                var values: [CELValue] = []
                for step in steps { values.append(try step(&context)) }
                return try body(values, &context)
            }
        }
    }

    /// Compiles `matches` with a literal pattern. The pattern is parsed at compile time, so its faults are reported
    /// then.
    private func matches(
        _ text: @escaping EvaluationStep, _ source: String, cost: Int, at offset: Int
    ) throws(ExpressionFault) -> CompiledPart {
        let pattern: Pattern
        do throws(PatternFault) {
            pattern = try Pattern(source)
        } catch {
            return try unknown(error.description, at: offset)
        }
        return CompiledPart(cost: cost) { (context) throws(EvaluationFailure) in
            try context.step()
            let value = try text(&context)
            guard case .string(let text) = value else { throw .mismatch("matches", value, .string(source)) }
            return .bool(try pattern.matches(text, &context))
        }
    }
}
