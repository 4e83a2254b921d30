/// `&&`, `||`, `!` and the choice between two.
enum Logic {
    /// Two or more conditions, of which one that is `deciding` decides, whatever becomes of the others, even if they fail.
    static func all(_ parts: [Code], deciding: Bool, _ name: String) -> Code {
        let price = Int.priced(parts.map(\.price) + [1])
        let steps = parts.map(\.step)
        if steps.count == 2 { return Code(price: price, two(steps[0], steps[1], deciding: deciding, name)) }
        return Code(price: price) { (run) throws(EvaluationFailure) in
            try run.step()
            var failure: EvaluationFailure?
            for step in steps {
                if try condition(step, &run, deciding, name, &failure) { return .bool(deciding) }
            }
            if let failure { throw failure }
            return .bool(!deciding)
        }
    }

    private static func two(_ left: @escaping Step, _ right: @escaping Step, deciding: Bool, _ name: String) -> Step {
        { (run) throws(EvaluationFailure) in
            try run.step()
            var failure: EvaluationFailure?
            if try condition(left, &run, deciding, name, &failure) { return .bool(deciding) }
            if try condition(right, &run, deciding, name, &failure) { return .bool(deciding) }
            if let failure { throw failure }
            return .bool(!deciding)
        }
    }

    /// Whether this condition decides. Its failure is kept for when none does.
    @inline(__always)
    private static func condition(
        _ step: Step, _ run: inout Run, _ deciding: Bool, _ name: String, _ failure: inout EvaluationFailure?
    ) throws(EvaluationFailure) -> Bool {
        do throws(EvaluationFailure) {
            let value = try step(&run)
            guard case .bool(let truth) = value else {
                throw EvaluationFailure("\(name) stands between bools; \(value.type.phrase) is none")
            }
            return truth == deciding
        } catch {
            if run.isSpent { throw error }
            failure = failure ?? error
            return false
        }
    }

    static func not(_ operand: Code) -> Code {
        let step = operand.step
        return Code(price: .priced(operand.price, 1)) { (run) throws(EvaluationFailure) in
            try run.step()
            let value = try step(&run)
            guard case .bool(let truth) = value else { throw .mismatch("!", value) }
            return .bool(!truth)
        }
    }

    static func conditional(_ condition: Code, _ whenTrue: Code, _ whenFalse: Code) -> Code {
        let (choose, first, second) = (condition.step, whenTrue.step, whenFalse.step)
        let length: Int? = if let one = whenTrue.length, let other = whenFalse.length { max(one, other) } else { nil }
        let price = Int.priced(condition.price, max(whenTrue.price, whenFalse.price), 1)
        return Code(price: price, length: length) { (run) throws(EvaluationFailure) in
            try run.step()
            return try truth(of: choose(&run), in: "?") ? try first(&run) : try second(&run)
        }
    }
}
