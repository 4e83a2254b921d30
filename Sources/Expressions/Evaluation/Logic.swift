/// The compilation of `&&`, `||`, `!` and `? :`.
enum Logic {
    /// Compiles two or more conditions. A condition with the value `deciding` decides the result, even if others fail.
    static func all(_ parts: [CompiledPart], deciding: Bool, _ name: String) -> CompiledPart {
        let cost = Int.cost(parts.map(\.cost) + [1])
        let steps = parts.map(\.step)
        if steps.count == 2 { return CompiledPart(cost: cost, two(steps[0], steps[1], deciding: deciding, name)) }
        return CompiledPart(cost: cost) { (context) throws(EvaluationFailure) in
            try context.step()
            var failure: EvaluationFailure?
            for step in steps {
                if try condition(step, &context, deciding, name, &failure) { return .bool(deciding) }
            }
            if let failure { throw failure }
            return .bool(!deciding)
        }
    }

    private static func two(
        _ left: @escaping EvaluationStep, _ right: @escaping EvaluationStep, deciding: Bool, _ name: String
    ) -> EvaluationStep {
        { (context) throws(EvaluationFailure) in
            try context.step()
            var failure: EvaluationFailure?
            if try condition(left, &context, deciding, name, &failure) { return .bool(deciding) }
            if try condition(right, &context, deciding, name, &failure) { return .bool(deciding) }
            if let failure { throw failure }
            return .bool(!deciding)
        }
    }

    /// Returns true if this condition decides the result. A failure is stored for the case that no condition decides.
    @inline(__always)
    private static func condition(
        _ step: EvaluationStep, _ context: inout EvaluationContext, _ deciding: Bool, _ name: String,
        _ failure: inout EvaluationFailure?
    ) throws(EvaluationFailure) -> Bool {
        do throws(EvaluationFailure) {
            let value = try step(&context)
            guard case .bool(let truth) = value else {
                throw EvaluationFailure("\(name) takes bools, not \(value.type.phrase)")
            }
            return truth == deciding
        } catch {
            if context.isSpent { throw error }
            failure = failure ?? error
            return false
        }
    }

    static func not(_ operand: CompiledPart) -> CompiledPart {
        let step = operand.step
        return CompiledPart(cost: .cost(operand.cost, 1)) { (context) throws(EvaluationFailure) in
            try context.step()
            let value = try step(&context)
            guard case .bool(let truth) = value else { throw .mismatch("!", value) }
            return .bool(!truth)
        }
    }

    static func conditional(
        _ condition: CompiledPart, _ whenTrue: CompiledPart, _ whenFalse: CompiledPart
    ) -> CompiledPart {
        let (choose, first, second) = (condition.step, whenTrue.step, whenFalse.step)
        let length: Int? = if let one = whenTrue.length, let other = whenFalse.length { max(one, other) } else { nil }
        let cost = Int.cost(condition.cost, max(whenTrue.cost, whenFalse.cost), 1)
        return CompiledPart(cost: cost, length: length) { (context) throws(EvaluationFailure) in
            try context.step()
            return try truth(of: choose(&context), in: "?") ? try first(&context) : try second(&context)
        }
    }
}
