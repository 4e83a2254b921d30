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

    /// The functions that the strict dialect lacks, because no case of the conformance suite uses them.
    private static let further = [
        ListFunctions.table, ListFunctions.sets, DecimalFunctions.table, PlainFunctions.table,
    ].reduce(
        into: FunctionTable()
    ) { $0.merge($1) { old, _ in old } }

    private static let strictNames = Set(table.keys.map(\.name)).union(["cel.bind"])
    private static let names = strictNames.union(further.keys.map(\.name))

    /// The functions of a double. In the computing dialect they also take an int, because JSON writes 3.0 as 3.
    static let ofDoubles: Set<String> = [
        "math.ceil", "math.floor", "math.round", "math.trunc", "math.isNaN", "math.isInf", "math.isFinite",
    ]

    /// The names of all functions, for the test that the document has an example of each.
    static var allNames: Set<String> { names }

    static func isKnown(_ name: String, isStrict: Bool) -> Bool { (isStrict ? strictNames : names).contains(name) }

    static func find(_ name: String, isMethod: Bool, count: Int, isStrict: Bool) -> Function? {
        let signature = Signature(name: name, isMethod: isMethod, count: count)
        if !isStrict, let function = further[signature] { return function }
        if let function = table[signature] { return function }
        return count > 0 ? table[Signature(name: name, isMethod: isMethod, count: -1)] : nil
    }

    /// Returns the length of the list that a function returns, if the lengths and constants of its arguments tell.
    static func length(_ name: String, _ arguments: [(length: Int?, constant: CELValue?)]) -> Int? {
        switch name {
        case "dyn", "distinct", "sort", "reverse", "slice": arguments[0].length
        case "lists.range":
            if case .int(let count)? = arguments[0].constant { Int(min(max(count, 0), 1 << 40)) } else { nil }
        default: nil
        }
    }

    /// Returns the description of a call that matches no function.
    static func advice(_ name: String, isMethod: Bool, count: Int, isStrict: Bool) -> String {
        let given = isMethod ? count - 1 : count
        if let example = Macro.examples[name], isMethod { return "\(name) is written as in \(example)" }
        let signatures = isStrict ? Array(table.keys) : Array(Set(table.keys).union(further.keys))
        let counts = signatures.filter { $0.name == name && $0.isMethod == isMethod }.map {
            isMethod ? $0.count - 1 : $0.count
        }.sorted()
        if !counts.isEmpty {
            let allowed = counts.contains(-1) ? "one or more" : counts.map { "\($0)" }.joined(separator: " or ")
            return "\(name) takes \(allowed) arguments, not \(given)"
        }
        if isKnown(name, isStrict: isStrict) {
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
