import JSON

/// An expression in its place in a definition.
struct Rule: Sendable {
    let formula: Formula
    let pointer: JSONPointer
    let seesOuter: Bool

    /// What it makes of a value in a run.
    func callAsFunction(_ value: JSON, in stage: Stage) throws -> JSON {
        try compute(seesOuter ? [value, stage.outer] : [value], of: value, in: stage)
    }

    /// What it makes of a value and another.
    func callAsFunction(_ value: JSON, _ other: JSON, in stage: Stage) throws -> JSON {
        try compute(seesOuter ? [value, other, stage.outer] : [value, other], of: value, in: stage)
    }

    /// Whether it holds for a value.
    func holds(for value: JSON, in stage: Stage) throws -> Bool {
        try truth(callAsFunction(value, in: stage), of: value, in: stage)
    }

    /// Whether it holds for a value and another.
    func holds(for value: JSON, _ other: JSON, in stage: Stage) throws -> Bool {
        try truth(callAsFunction(value, other, in: stage), of: value, in: stage)
    }

    private func compute(_ values: [JSON], of value: JSON, in stage: Stage) throws -> JSON {
        guard stage.allowance.spend(1 + formula.price / 100) else { throw stage.allowance.failure }
        do {
            let result = try formula.evaluate(values)
            if result.isLarger(than: Limits.valueSize) {
                throw StreamFailure(
                    "the expression makes a value that is larger than \(Limits.valueSize)", value: nil, at: pointer, in: stage)
            }
            return result
        } catch let failure as StreamFailure {
            throw failure
        } catch {
            throw StreamFailure("\(error)", value: value, at: pointer, in: stage)
        }
    }

    private func truth(_ result: JSON, of value: JSON, in stage: Stage) throws -> Bool {
        guard case .bool(let isSo) = result else {
            throw StreamFailure("the expression must be true or false here, and is \(result.shown)", value: value, at: pointer, in: stage)
        }
        return isSo
    }
}

extension JSON {
    /// Whether there is more to a value than so much: a unit for each value, and for each byte of its texts. It looks no further than that.
    func isLarger(than limit: Int) -> Bool {
        switch self {
        case .null, .bool, .number: return false
        case .string(let text): return text.utf8.count > limit
        case .array, .object:
            var left = limit
            return !take(from: &left)
        }
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
