/// A set of values under the equality of CEL, in which `1 == 1.0`. Texts, bools and whole numbers are found by their
/// hash, other values by a comparison with each other one.
struct ValueSet {
    private var keys: Set<MapKey> = []
    private var others: [CELValue] = []

    /// Inserts a value; returns false if it is there.
    mutating func insert(_ value: CELValue, _ context: inout EvaluationContext) throws(EvaluationFailure) -> Bool {
        try context.step()
        try context.scan(value.textBytes)
        if let key = MapKey(looking: value) {
            try context.make(elements: 2)
            return keys.insert(key).inserted
        }
        guard try !isAmongOthers(value, &context) else { return false }
        try context.make(elements: 1)
        others.append(value)
        return true
    }

    /// Returns true if the set has an equal value.
    func contains(_ value: CELValue, _ context: inout EvaluationContext) throws(EvaluationFailure) -> Bool {
        try context.step()
        try context.scan(value.textBytes)
        if let key = MapKey(looking: value) { return keys.contains(key) }
        return try isAmongOthers(value, &context)
    }

    private func isAmongOthers(
        _ value: CELValue, _ context: inout EvaluationContext
    ) throws(EvaluationFailure) -> Bool {
        for other in others {
            try context.step()
            if try context.equal(value, other) { return true }
        }
        return false
    }
}
