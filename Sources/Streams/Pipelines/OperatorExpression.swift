import Ground
import JSON
import StateModel

/// An expression of an operator, with its place in the definition.
struct OperatorExpression: Sendable {
    let formula: Formula
    let pointer: JSONPointer
    let seesOuter: Bool
    /// The steps of a run that one evaluation costs in advance.
    private let steps: Int

    init(formula: Formula, pointer: JSONPointer, seesOuter: Bool) {
        self.formula = formula
        self.pointer = pointer
        self.seesOuter = seesOuter
        steps = 1 + formula.price / 100
    }

    /// Evaluates the expression for a value.
    func callAsFunction(_ value: JSON, in context: CompilationContext) throws -> JSON {
        try compute(of: value, in: context) {
            seesOuter ? try formula.ofTwo(value, context.outer, &$0) : try formula.ofOne(value, &$0)
        }
    }

    /// Evaluates the expression for a value and a second variable.
    func callAsFunction(_ value: JSON, _ other: JSON, in context: CompilationContext) throws -> JSON {
        try compute(of: value, in: context) {
            seesOuter ? try formula.ofAll([value, other, context.outer], &$0) : try formula.ofTwo(value, other, &$0)
        }
    }

    /// Returns true if the expression is true for a value.
    func holds(for value: JSON, in context: CompilationContext) throws -> Bool {
        try truth(callAsFunction(value, in: context), of: value, in: context)
    }

    /// Returns true if the expression is true for a value and a second variable.
    func holds(for value: JSON, _ other: JSON, in context: CompilationContext) throws -> Bool {
        try truth(callAsFunction(value, other, in: context), of: value, in: context)
    }

    @inline(__always)
    private func compute(
        of value: JSON, in context: CompilationContext, _ evaluate: (inout Int) throws -> JSON
    ) throws -> JSON {
        guard context.budget.spend(steps) else { throw context.budget.failure }
        if context.budget.isOfRun, WorkAllowance.isSpent { throw failure(WorkShortage.words, value: nil, in: context) }
        var taken = 0
        defer { if context.budget.isOfRun { WorkAllowance.spend(taken + 1) } }
        let result: JSON
        do { result = try evaluate(&taken) } catch {
            _ = spendMore(taken, in: context)
            throw failure("\(error)", value: value, in: context)
        }
        guard taken <= formula.price || spendMore(taken, in: context) else { throw context.budget.failure }
        switch result {
        case .null, .bool, .number: return result
        case .string, .array, .object: return try context.made(result, by: "the expression", at: pointer)
        }
    }

    @inline(__always)
    private func truth(_ result: JSON, of value: JSON, in context: CompilationContext) throws -> Bool {
        guard case .bool(let isSo) = result else {
            throw failure(
                "the expression must be true or false here, not \(result.kind.words)", value: value, in: context)
        }
        return isSo
    }

    /// Spends the steps that an evaluation took beyond its price, for example because a list is longer than assumed.
    @inline(never)
    private func spendMore(_ taken: Int, in context: CompilationContext) -> Bool {
        let more = (taken - formula.price) / 100
        return more <= 0 || context.budget.spend(more)
    }

    // Not inlined: the path of every value stays short.
    @inline(never)
    private func failure(_ description: String, value: JSON?, in context: CompilationContext) -> StreamFailure {
        context.failure(description, value: value, at: pointer)
    }
}
