/// The functions of the lists extension.
enum ListFunctions {
    static let table = Functions.tables(
        Functions.global("lists.range") { (value, context) throws(EvaluationFailure) in
            guard case .int(let count) = value else { throw .mismatch("lists.range", value) }
            guard count > 0 else { return .list(.values([])) }
            try context.make(elements: Int(count))
            return .list(.values((0..<count).map { .int($0) }))
        },
        Functions.method("slice", 2) { (values, context) throws(EvaluationFailure) in
            guard case .list(let list) = values[0], case .int(let start) = values[1], case .int(let end) = values[2]
            else {
                throw .mismatch("slice", values)
            }
            guard 0 <= start, start <= end, end <= list.count else {
                throw EvaluationFailure("slice begins or ends out of the range of the list")
            }
            try context.make(elements: Int(end - start))
            return .list(list[Int(start)..<Int(end)])
        },
        Functions.method("flatten") { (list, context) throws(EvaluationFailure) in
            try flatten(list, .int(1), &context)
        },
        Functions.method2("flatten", flatten),
        Functions.method("distinct") { (value, context) throws(EvaluationFailure) in
            guard case .list(let list) = value else { throw .mismatch("distinct", value) }
            var known = ValueSet()
            var values: [CELValue] = []
            for place in 0..<list.count {
                let value = list[place]
                guard try known.insert(value, &context) else { continue }
                try context.make(elements: 1)
                values.append(value)
            }
            return .list(.values(values))
        },
        Functions.method("sort") { (value, context) throws(EvaluationFailure) in
            guard case .list(let list) = value else { throw .mismatch("sort", value) }
            try context.make(elements: 3 * list.count)
            let values = list.values
            return .list(.values(try context.order(of: values, for: "sort").map { values[$0] }))
        },
        Functions.method("reverse") { (value, context) throws(EvaluationFailure) in
            guard case .list(let list) = value else { return try TextFunctions.reverse(value, &context) }
            try context.make(elements: list.count)
            return .list(.values(list.values.reversed()))
        })

    /// The functions of the sets extension.
    static let sets = Functions.tables(
        Functions.global2("sets.contains") { (left, right, context) throws(EvaluationFailure) in
            let (whole, part) = try lists("sets.contains", left, right)
            return .bool(try contains(whole, part, &context))
        },
        Functions.global2("sets.equivalent") { (left, right, context) throws(EvaluationFailure) in
            let (one, other) = try lists("sets.equivalent", left, right)
            guard try contains(one, other, &context) else { return .bool(false) }
            return .bool(try contains(other, one, &context))
        },
        Functions.global2("sets.intersects") { (left, right, context) throws(EvaluationFailure) in
            let (one, other) = try lists("sets.intersects", left, right)
            let known = try set(one, &context)
            for place in 0..<other.count {
                if try known.contains(other[place], &context) { return .bool(true) }
            }
            return .bool(false)
        })

    private static func lists(
        _ name: String, _ left: CELValue, _ right: CELValue
    ) throws(EvaluationFailure) -> (CELList, CELList) {
        guard case .list(let one) = left, case .list(let other) = right else { throw .mismatch(name, left, right) }
        return (one, other)
    }

    private static func set(_ list: CELList, _ context: inout EvaluationContext) throws(EvaluationFailure) -> ValueSet {
        var set = ValueSet()
        for place in 0..<list.count { _ = try set.insert(list[place], &context) }
        return set
    }

    private static func contains(
        _ whole: CELList, _ part: CELList, _ context: inout EvaluationContext
    ) throws(EvaluationFailure) -> Bool {
        let known = try set(whole, &context)
        for place in 0..<part.count {
            if try !known.contains(part[place], &context) { return false }
        }
        return true
    }

    @Sendable
    private static func flatten(
        _ value: CELValue, _ depth: CELValue, _ context: inout EvaluationContext
    ) throws(EvaluationFailure) -> CELValue {
        guard case .list(let list) = value, case .int(let depth) = depth else {
            throw .mismatch("flatten", value, depth)
        }
        guard depth >= 0 else { throw EvaluationFailure("flatten takes a depth of 0 or more") }
        var values: [CELValue] = []
        try append(list, depth, 0, to: &values, &context)
        return .list(.values(values))
    }

    private static func append(
        _ list: CELList, _ depth: Int64, _ level: Int, to values: inout [CELValue], _ context: inout EvaluationContext
    ) throws(EvaluationFailure) {
        try context.descend(level)
        for place in 0..<list.count {
            try context.make(elements: 1)
            if depth > 0, case .list(let inner) = list[place] {
                try append(inner, depth - 1, level + 1, to: &values, &context)
            } else {
                values.append(list[place])
            }
        }
    }
}

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
