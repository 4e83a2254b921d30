/// A function with one, two or any number of values. The first value of a method is its receiver.
enum Function: Sendable {
    case one(@Sendable (CELValue, inout EvaluationContext) throws(EvaluationFailure) -> CELValue)
    case two(@Sendable (CELValue, CELValue, inout EvaluationContext) throws(EvaluationFailure) -> CELValue)
    case many(@Sendable ([CELValue], inout EvaluationContext) throws(EvaluationFailure) -> CELValue)
}

/// The functions by their signatures.
typealias FunctionTable = [Functions.Signature: Function]

/// The table of all functions.
enum Functions {
    /// The identity of a function: its name, its kind and its number of values.
    struct Signature: Hashable {
        let name: String
        let isMethod: Bool
        /// The number of values, including a method's receiver; -1 for one or more.
        let count: Int
    }

    private static let table = [
        Conversions.table, TextFunctions.table, TextFunctions.editing, TimeFunctions.table, MathFunctions.table,
        MathFunctions.bits,
    ].reduce(into: FunctionTable()) { $0.merge($1) { old, _ in old } }

    private static let names = Set(table.keys.map(\.name)).union(["cel.bind"])

    /// The functions of a double. In the computing dialect they also take an int, because JSON writes 3.0 as 3.
    static let ofDoubles: Set<String> = [
        "math.ceil", "math.floor", "math.round", "math.trunc", "math.isNaN", "math.isInf", "math.isFinite",
    ]

    /// The names of all functions, for the test that the document has an example of each.
    static var allNames: Set<String> { names }

    static func isKnown(_ name: String) -> Bool { names.contains(name) }

    static func find(_ name: String, isMethod: Bool, count: Int) -> Function? {
        if let function = table[Signature(name: name, isMethod: isMethod, count: count)] { return function }
        return count > 0 ? table[Signature(name: name, isMethod: isMethod, count: -1)] : nil
    }

    /// Returns the description of a call that matches no function.
    static func advice(_ name: String, isMethod: Bool, count: Int) -> String {
        let given = isMethod ? count - 1 : count
        if let example = Macro.examples[name], isMethod { return "\(name) is written as in \(example)" }
        let counts = table.keys.filter { $0.name == name && $0.isMethod == isMethod }.map {
            isMethod ? $0.count - 1 : $0.count
        }.sorted()
        if !counts.isEmpty {
            let allowed = counts.contains(-1) ? "one or more" : counts.map { "\($0)" }.joined(separator: " or ")
            return "\(name) takes \(allowed) arguments, not \(given)"
        }
        if isKnown(name) {
            return isMethod
                ? "\(name) is not a method; write \(name)(value)" : "\(name) is a method; write value.\(name)(…)"
        }
        return isMethod ? "unknown method '\(name)'" : "unknown function '\(name)'"
    }

    static func global(
        _ name: String,
        _ body: @escaping @Sendable (CELValue, inout EvaluationContext) throws(EvaluationFailure) -> CELValue
    ) -> FunctionTable {
        [Signature(name: name, isMethod: false, count: 1): .one(body)]
    }

    static func global2(
        _ name: String,
        _ body: @escaping @Sendable (CELValue, CELValue, inout EvaluationContext) throws(EvaluationFailure) -> CELValue
    ) -> FunctionTable {
        [Signature(name: name, isMethod: false, count: 2): .two(body)]
    }

    static func method(
        _ name: String,
        _ body: @escaping @Sendable (CELValue, inout EvaluationContext) throws(EvaluationFailure) -> CELValue
    ) -> FunctionTable {
        [Signature(name: name, isMethod: true, count: 1): .one(body)]
    }

    static func method2(
        _ name: String,
        _ body: @escaping @Sendable (CELValue, CELValue, inout EvaluationContext) throws(EvaluationFailure) -> CELValue
    ) -> FunctionTable {
        [Signature(name: name, isMethod: true, count: 2): .two(body)]
    }

    /// Returns the table entry of a method with `count` arguments besides its receiver.
    static func method(
        _ name: String, _ count: Int,
        _ body: @escaping @Sendable ([CELValue], inout EvaluationContext) throws(EvaluationFailure) -> CELValue
    ) -> FunctionTable {
        [Signature(name: name, isMethod: true, count: count + 1): .many(body)]
    }

    /// Returns the table entry of a function with one or more arguments.
    static func variadic(
        _ name: String,
        _ body: @escaping @Sendable ([CELValue], inout EvaluationContext) throws(EvaluationFailure) -> CELValue
    ) -> FunctionTable {
        [Signature(name: name, isMethod: false, count: -1): .many(body)]
    }

    static func tables(_ tables: FunctionTable...) -> FunctionTable {
        tables.reduce(into: FunctionTable()) { $0.merge($1) { old, _ in old } }
    }
}
