/// Goes through a list or a map for a macro.
struct Comprehension: Sendable {
    let range: EvaluationStep
    /// Where the element or key goes; with a second variable, the index or key.
    let first: Int
    /// Where the element or value goes, for a macro of two variables.
    let second: Int?
    /// How the formula calls the macro.
    let name: String

    /// Calls `body` for each in turn for as long as it says true.
    @inline(__always)
    func forEach(
        _ context: inout EvaluationContext, _ body: (inout EvaluationContext) throws(EvaluationFailure) -> Bool
    ) throws(EvaluationFailure) {
        let value = try range(&context)
        switch value {
        case .list(let list):
            for place in 0..<list.count {
                try context.step()
                if let second {
                    context.slots[first] = .int(Int64(place))
                    context.slots[second] = list[place]
                } else {
                    context.slots[first] = list[place]
                }
                guard try body(&context) else { return }
            }
        case .map(let map):
            for place in 0..<map.count {
                try context.step()
                context.slots[first] = map.key(at: place)
                if let second { context.slots[second] = map.value(at: place) }
                guard try body(&context) else { return }
            }
        default: throw EvaluationFailure("\(name) goes through a list or a map, not through \(value.type.phrase)")
        }
    }
}

extension Comprehension {
    /// Whether some element fulfils a condition, or every one. An element that decides it makes up for others that fail.
    func quantifier(_ condition: @escaping EvaluationStep, deciding: Bool) -> EvaluationStep {
        let name = name
        return { [self] (context) throws(EvaluationFailure) in
            var failure: EvaluationFailure?
            var isDecided = false
            try forEach(&context) { (context) throws(EvaluationFailure) in
                do throws(EvaluationFailure) {
                    let isTrue = try truth(of: condition(&context), in: name)
                    isDecided = isTrue == deciding
                } catch {
                    if context.isSpent { throw error }
                    failure = failure ?? error
                }
                return !isDecided
            }
            if isDecided { return .bool(deciding) }
            if let failure { throw failure }
            return .bool(!deciding)
        }
    }

    /// Whether exactly one element fulfils a condition.
    func existsOne(_ condition: @escaping EvaluationStep) -> EvaluationStep {
        let name = name
        return { [self] (context) throws(EvaluationFailure) in
            var count = 0
            try forEach(&context) { (context) throws(EvaluationFailure) in
                if try truth(of: condition(&context), in: name) { count += 1 }
                return true
            }
            return .bool(count == 1)
        }
    }

    /// The list of what becomes of the elements that fulfil a condition, where there is one.
    func list(_ condition: EvaluationStep?, _ element: @escaping EvaluationStep) -> EvaluationStep {
        let name = name
        return { [self] (context) throws(EvaluationFailure) in
            var values: [CELValue] = []
            try forEach(&context) { (context) throws(EvaluationFailure) in
                if let condition, try !truth(of: condition(&context), in: name) { return true }
                let value = try element(&context)
                try context.make(elements: 1)
                values.append(value)
                return true
            }
            return .list(.values(values))
        }
    }

    /// The map with the same keys of what becomes of the values.
    func map(_ condition: EvaluationStep?, _ value: @escaping EvaluationStep) -> EvaluationStep {
        let (name, key) = (name, first)
        return { [self] (context) throws(EvaluationFailure) in
            var entries = Entries()
            try forEach(&context) { (context) throws(EvaluationFailure) in
                if let condition, try !truth(of: condition(&context), in: name) { return true }
                let value = try value(&context)
                try context.insert(context.slots[key], value, into: &entries)
                return true
            }
            return .map(.entries(entries))
        }
    }

    /// The map of the entries that come out, each of which is a map of its own.
    func mapOfEntries(_ condition: EvaluationStep?, _ entry: @escaping EvaluationStep) -> EvaluationStep {
        let name = name
        return { [self] (context) throws(EvaluationFailure) in
            var entries = Entries()
            try forEach(&context) { (context) throws(EvaluationFailure) in
                if let condition, try !truth(of: condition(&context), in: name) { return true }
                let value = try entry(&context)
                guard case .map(let map) = value else {
                    throw EvaluationFailure("\(name) makes each entry of a map such as {key: value}, not of \(value.type.phrase)")
                }
                for place in 0..<map.count {
                    try context.insert(map.key(at: place), map.value(at: place), into: &entries)
                }
                return true
            }
            return .map(.entries(entries))
        }
    }
}

/// What a condition came to.
@inline(__always)
func truth(of value: CELValue, in name: String) throws(EvaluationFailure) -> Bool {
    guard case .bool(let truth) = value else { throw EvaluationFailure("the condition of \(name) is \(value.type.phrase), not a bool") }
    return truth
}
