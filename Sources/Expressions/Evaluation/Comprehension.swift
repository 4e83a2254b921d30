/// The loop of a macro over a list or a map.
struct Comprehension: Sendable {
    let range: EvaluationStep
    /// The slot of the element or key; with two variables, of the index or key.
    let first: Int
    /// The slot of the element or value in a macro with two variables.
    let second: Int?
    /// The name of the macro in the formula.
    let name: String

    /// Calls `body` for each element until it returns false.
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
        default: throw EvaluationFailure("\(name) iterates over a list or a map, not over \(value.type.phrase)")
        }
    }
}

extension Comprehension {
    /// Returns a step for `exists` or `all`. An element that decides the result overrides failures of other elements.
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

    /// Returns a step that is true if exactly one element satisfies the condition.
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

    /// Returns a step for the list of transformed elements, restricted to those that satisfy the condition, if there is
    /// one.
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

    /// Returns a step for the list of elements in ascending order of their keys.
    func sorted(_ key: @escaping EvaluationStep) -> EvaluationStep {
        let (name, first) = (name, first)
        return { [self] (context) throws(EvaluationFailure) in
            var elements: [CELValue] = []
            var keys: [CELValue] = []
            try forEach(&context) { (context) throws(EvaluationFailure) in
                try context.make(elements: 4)
                elements.append(context.slots[first])
                keys.append(try key(&context))
                return true
            }
            return .list(.values(try context.order(of: keys, for: name).map { elements[$0] }))
        }
    }

    /// Returns a step for the map with the same keys and transformed values.
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

    /// Returns a step for the map of transformed entries. Each transformed entry is itself a map.
    func mapOfEntries(_ condition: EvaluationStep?, _ entry: @escaping EvaluationStep) -> EvaluationStep {
        let name = name
        return { [self] (context) throws(EvaluationFailure) in
            var entries = Entries()
            try forEach(&context) { (context) throws(EvaluationFailure) in
                if let condition, try !truth(of: condition(&context), in: name) { return true }
                let value = try entry(&context)
                guard case .map(let map) = value else {
                    throw EvaluationFailure("\(name) takes an entry such as {key: value}, not \(value.type.phrase)")
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

/// Returns the value of a condition, or fails if it is not a bool.
@inline(__always)
func truth(of value: CELValue, in name: String) throws(EvaluationFailure) -> Bool {
    guard case .bool(let truth) = value else {
        throw EvaluationFailure("the condition of \(name) is \(value.type.phrase), not a bool")
    }
    return truth
}
