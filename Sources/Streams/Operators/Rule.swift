import JSON

/// An expression in its place in a definition.
struct Rule: Sendable {
    let formula: Formula
    let pointer: JSONPointer
    let seesOuter: Bool
    /// What one evaluation takes of a run's allowance.
    private let steps: Int

    init(formula: Formula, pointer: JSONPointer, seesOuter: Bool) {
        self.formula = formula
        self.pointer = pointer
        self.seesOuter = seesOuter
        steps = 1 + formula.price / 100
    }

    /// What it makes of a value in a run.
    func callAsFunction(_ value: JSON, in stage: Stage) throws -> JSON {
        try compute(of: value, in: stage) {
            seesOuter ? try formula.ofTwo(value, stage.outer) : try formula.ofOne(value)
        }
    }

    /// What it makes of a value and another.
    func callAsFunction(_ value: JSON, _ other: JSON, in stage: Stage) throws -> JSON {
        try compute(of: value, in: stage) {
            seesOuter ? try formula.ofAll([value, other, stage.outer]) : try formula.ofTwo(value, other)
        }
    }

    /// Whether it holds for a value.
    func holds(for value: JSON, in stage: Stage) throws -> Bool {
        try truth(callAsFunction(value, in: stage), of: value, in: stage)
    }

    /// Whether it holds for a value and another.
    func holds(for value: JSON, _ other: JSON, in stage: Stage) throws -> Bool {
        try truth(callAsFunction(value, other, in: stage), of: value, in: stage)
    }

    @inline(__always)
    private func compute(of value: JSON, in stage: Stage, _ evaluate: () throws -> JSON) throws -> JSON {
        guard stage.allowance.spend(steps) else { throw stage.allowance.failure }
        let result: JSON
        do { result = try evaluate() } catch { throw failure("\(error)", value: value, in: stage) }
        if result.isLarger(than: Limits.valueSize) {
            throw failure("the expression makes a value that is larger than \(Limits.valueSize)", value: nil, in: stage)
        }
        return result
    }

    @inline(__always)
    private func truth(_ result: JSON, of value: JSON, in stage: Stage) throws -> Bool {
        guard case .bool(let isSo) = result else {
            throw failure("the expression must be true or false here, and is \(result.shown)", value: value, in: stage)
        }
        return isSo
    }

    // Out of the way of what happens with every value.
    @inline(never)
    private func failure(_ description: String, value: JSON?, in stage: Stage) -> StreamFailure {
        StreamFailure(description, value: value, at: pointer, in: stage)
    }
}

extension JSON {
    /// Whether there is more to a value than so much: a unit for each value, and for each byte of its texts. It looks no further than that.
    @inline(__always)
    func isLarger(than limit: Int) -> Bool {
        switch self {
        case .null, .bool, .number: return false
        case .string(let text): return text.utf8.count > limit
        case .array, .object: return holdsMore(than: limit)
        }
    }

    private func holdsMore(than limit: Int) -> Bool {
        var left = limit
        return !take(from: &left)
    }

    private func take(from left: inout Int) -> Bool {
        left -= 1
        switch self {
        case .null, .bool, .number: break
        case .string(let text): left -= text.utf8.count
        case .array(let elements):
            for element in elements {
                guard left >= 0, element.take(from: &left) else { return false }
            }
        case .object(let object):
            for member in object {
                left -= member.key.utf8.count
                guard left >= 0, member.value.take(from: &left) else { return false }
            }
        }
        return left >= 0
    }
}
