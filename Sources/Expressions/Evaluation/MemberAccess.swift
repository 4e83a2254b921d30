import JSON

/// The compilation of member and element access.
enum MemberAccess {
    static func member(_ operand: CompiledPart, _ name: String) -> CompiledPart {
        let step = operand.step
        let cost = 1 + name.utf8.count >> 5
        if let slot = operand.slot {
            return CompiledPart(cost: cost) { (context) throws(EvaluationFailure) in
                try context.work(cost)
                if case .map(let map) = context.slots[slot], let value = map.value(named: name) { return value }
                throw missing(name, in: context.slots[slot])
            }
        }
        return CompiledPart(cost: .cost(operand.cost, cost)) { (context) throws(EvaluationFailure) in
            try context.work(cost)
            let value = try step(&context)
            if case .map(let map) = value, let member = map.value(named: name) { return member }
            throw missing(name, in: value)
        }
    }

    /// Compiles the access to a member that is converted from JSON.
    static func member(_ operand: CompiledPart, _ name: String, _ reading: Reading?) -> CompiledPart {
        guard let reading else { return member(operand, name) }
        let step = operand.step
        let cost = 1 + name.utf8.count >> 5
        return CompiledPart(cost: .cost(operand.cost, cost, reading.cost)) { (context) throws(EvaluationFailure) in
            try context.work(cost)
            let value = try step(&context)
            guard case .map(let map) = value else { throw missing(name, in: value) }
            if let json = map.json(named: name) { return try reading.value(json, &context) }
            guard let member = map.value(named: name) else { throw missing(name, in: value) }
            return try reading.value(member, &context)
        }
    }

    /// Compiles the access to an element that is converted from JSON.
    static func index(_ operand: CompiledPart, _ index: CompiledPart, _ reading: Reading?) -> CompiledPart {
        guard let reading else { return self.index(operand, index) }
        let (step, indexStep, literal) = (operand.step, index.step, index.constant?.brief)
        return CompiledPart(cost: .cost(operand.cost, index.cost, 1, reading.cost)) {
            (context) throws(EvaluationFailure) in
            try context.step()
            let value = try step(&context)
            let index = try indexStep(&context)
            try context.scan(index.textBytes)
            // A number is converted from the JSON itself, which is exact.
            switch (value, index) {
            case (.map(let map), .string(let name)):
                if let json = map.json(named: name) { return try reading.value(json, &context) }
            case (.list(.json(let elements)), .int(let place)) where 0..<Int64(elements.count) ~= place:
                return try reading.value(elements[Int(place)], &context)
            default: break
            }
            return try reading.value(element(of: value, at: index, literal), &context)
        }
    }

    /// Compiles the conversion of a variable.
    static func variable(_ part: CompiledPart, _ reading: Reading?) -> CompiledPart {
        guard let reading else { return part }
        let step = part.step
        return CompiledPart(cost: .cost(part.cost, reading.cost), length: part.length) {
            (context) throws(EvaluationFailure) in
            try reading.value(step(&context), &context)
        }
    }

    private static func missing(_ name: String, in value: CELValue) -> EvaluationFailure {
        guard case .map = value else {
            return EvaluationFailure("cannot read member \(name.brief) of \(value.type.phrase)")
        }
        return EvaluationFailure("the map has no member \(name.brief); test for it with has()")
    }

    /// Compiles a test for a member.
    static func has(_ operand: CompiledPart, _ name: String) -> CompiledPart {
        let step = operand.step
        let cost = 1 + name.utf8.count >> 5
        return CompiledPart(cost: .cost(operand.cost, cost)) { (context) throws(EvaluationFailure) in
            try context.work(cost)
            let value = try step(&context)
            guard case .map(let map) = value else { throw missing(name, in: value) }
            return .bool(map.value(named: name) != nil)
        }
    }

    static func index(_ operand: CompiledPart, _ index: CompiledPart) -> CompiledPart {
        let (step, indexStep, literal) = (operand.step, index.step, index.constant?.brief)
        return CompiledPart(cost: .cost(operand.cost, index.cost, 1)) { (context) throws(EvaluationFailure) in
            try context.step()
            let value = try step(&context)
            let index = try indexStep(&context)
            try context.scan(index.textBytes)
            return try element(of: value, at: index, literal)
        }
    }

    /// Returns an element. `literal` is the index as the formula has it; nil for an index that is computed, which a failure
    /// does not show.
    private static func element(
        of value: CELValue, at index: CELValue, _ literal: String?
    ) throws(EvaluationFailure) -> CELValue {
        switch value {
        case .list(let list):
            guard index.isNumber else { throw EvaluationFailure("a list index is a number, not \(index.type.phrase)") }
            guard case .int(let place)? = MapKey(looking: index), 0..<Int64(list.count) ~= place else {
                let words = literal.map { "index \($0)" } ?? "the index"
                throw EvaluationFailure("\(words) is out of range for the list; indices start at 0")
            }
            return list[Int(place)]
        case .map(let map):
            if let element = map.value(of: index) { return element }
            if MapKey(looking: index) == nil, !index.isNumber {
                throw EvaluationFailure("\(index.type.phrase) cannot be a key of a map")
            }
            let words = literal.map { "key \($0)" } ?? "such key"
            throw EvaluationFailure("the map has no \(words); test for it with the operator in")
        default:
            throw EvaluationFailure(
                "cannot read an element of \(value.type.phrase), which is neither a list nor a map")
        }
    }
}
