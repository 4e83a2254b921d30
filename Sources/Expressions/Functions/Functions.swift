/// A function by how many values it takes; of a method, the first is what it is called on.
enum Function: Sendable {
    case one(@Sendable (CELValue, inout EvaluationContext) throws(EvaluationFailure) -> CELValue)
    case two(@Sendable (CELValue, CELValue, inout EvaluationContext) throws(EvaluationFailure) -> CELValue)
    case many(@Sendable ([CELValue], inout EvaluationContext) throws(EvaluationFailure) -> CELValue)
}

/// The functions by their signatures.
typealias FunctionTable = [Functions.Signature: Function]

/// All functions there are, by name.
enum Functions {
    /// What a call is known by.
    struct Signature: Hashable {
        let name: String
        let isMethod: Bool
        /// With what a method is called on; -1 for any number from one on.
        let count: Int
    }

    private static let table = [
        Conversions.table, TextFunctions.table, TextFunctions.editing, TimeFunctions.table, MathFunctions.table, MathFunctions.bits,
    ].reduce(into: FunctionTable()) { $0.merge($1) { old, _ in old } }

    private static let names = Set(table.keys.map(\.name)).union(["cel.bind"])

    /// Functions of a double: where ints and doubles may be mixed they take an int too, as JSON has 3 for 3.0.
    static let ofDoubles: Set<String> = [
        "math.ceil", "math.floor", "math.round", "math.trunc", "math.isNaN", "math.isInf", "math.isFinite",
    ]

    /// For the document, which has an example of each.
    static var allNames: Set<String> { names }

    static func isKnown(_ name: String) -> Bool { names.contains(name) }

    static func find(_ name: String, isMethod: Bool, count: Int) -> Function? {
        if let function = table[Signature(name: name, isMethod: isMethod, count: count)] { return function }
        return count > 0 ? table[Signature(name: name, isMethod: isMethod, count: -1)] : nil
    }

    /// What to say of a call that cannot be.
    static func advice(_ name: String, isMethod: Bool, count: Int) -> String {
        let given = isMethod ? count - 1 : count
        if let example = Macro.examples[name], isMethod { return "\(name) is written as in \(example)" }
        let counts = table.keys.filter { $0.name == name && $0.isMethod == isMethod }.map { isMethod ? $0.count - 1 : $0.count }.sorted()
        if !counts.isEmpty {
            let allowed = counts.contains(-1) ? "one or more" : counts.map { "\($0)" }.joined(separator: " or ")
            return "\(name) takes \(allowed) arguments, \(given) are given"
        }
        if isKnown(name) {
            return isMethod ? "\(name) is no method: write \(name)(value)" : "\(name) is a method: write value.\(name)(…)"
        }
        return isMethod ? "there is no method '\(name)'" : "there is no function '\(name)'"
    }

    static func global(
        _ name: String, _ body: @escaping @Sendable (CELValue, inout EvaluationContext) throws(EvaluationFailure) -> CELValue
    ) -> FunctionTable {
        [Signature(name: name, isMethod: false, count: 1): .one(body)]
    }

    static func global2(
        _ name: String, _ body: @escaping @Sendable (CELValue, CELValue, inout EvaluationContext) throws(EvaluationFailure) -> CELValue
    ) -> FunctionTable {
        [Signature(name: name, isMethod: false, count: 2): .two(body)]
    }

    static func method(
        _ name: String, _ body: @escaping @Sendable (CELValue, inout EvaluationContext) throws(EvaluationFailure) -> CELValue
    ) -> FunctionTable {
        [Signature(name: name, isMethod: true, count: 1): .one(body)]
    }

    static func method2(
        _ name: String, _ body: @escaping @Sendable (CELValue, CELValue, inout EvaluationContext) throws(EvaluationFailure) -> CELValue
    ) -> FunctionTable {
        [Signature(name: name, isMethod: true, count: 2): .two(body)]
    }

    /// A method of so many arguments besides what it is called on.
    static func method(
        _ name: String, _ count: Int,
        _ body: @escaping @Sendable ([CELValue], inout EvaluationContext) throws(EvaluationFailure) -> CELValue
    ) -> FunctionTable {
        [Signature(name: name, isMethod: true, count: count + 1): .many(body)]
    }

    /// A function of one argument or more.
    static func variadic(
        _ name: String, _ body: @escaping @Sendable ([CELValue], inout EvaluationContext) throws(EvaluationFailure) -> CELValue
    ) -> FunctionTable {
        [Signature(name: name, isMethod: false, count: -1): .many(body)]
    }

    static func tables(_ tables: FunctionTable...) -> FunctionTable {
        tables.reduce(into: FunctionTable()) { $0.merge($1) { old, _ in old } }
    }
}
