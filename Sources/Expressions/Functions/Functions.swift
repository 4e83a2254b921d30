internal import Ground
import JSON

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

/// The functions `decimal` and `round`, which standard CEL does not have.
enum DecimalFunctions {
    static let table = Functions.tables(
        Functions.global("decimal") { (value, context) throws(EvaluationFailure) in
            try context.work(4)
            switch value {
            case .string(let text):
                try context.scan(text.utf8.count)
                guard text.utf8.count <= 1_000, let number = LongDecimal(text) else {
                    throw EvaluationFailure("the text cannot be read as a decimal; write it as '12.50'")
                }
                return .decimal(number)
            case .double:
                throw EvaluationFailure(
                    "decimal takes a text or an int, not a double, which is not exact; write decimal('0.9')")
            default:
                guard let number = LongDecimal(operand: value) else { throw .mismatch("decimal", value) }
                return .decimal(number)
            }
        },
        Functions.global2("round") { (value, places, context) throws(EvaluationFailure) in
            try context.work(4)
            guard let number = LongDecimal(operand: value), case .int(let count) = places else {
                if case .double = value {
                    throw EvaluationFailure(
                        "round takes a decimal, not a double; write decimal('0.9') for 0.9, or math.round(x)")
                }
                throw .mismatch("round", value, places)
            }
            guard -34...34 ~= count else {
                throw EvaluationFailure("round takes from -34 to 34 places")
            }
            return .decimal(
                try LongDecimal.computed { () throws(LongDecimal.ArithmeticFault) in
                    try number.rounded(places: Int(count))
                })
        })
}

/// The functions on texts without case and without accents.
enum PlainFunctions {
    static let table = Functions.tables(
        rewriting("text.fold", PlainText.fold), rewriting("text.plain", PlainText.plain),
        rewriting("text.order", RootCollation.key),
        Functions.global("text.words") { (value, context) throws(EvaluationFailure) in
            guard case .string(let text) = value else { throw .mismatch("text.words", value) }
            try context.work(text.utf8.count / 4)
            try context.make(growth * text.utf8.count)
            let words = PlainText.words(text)
            try context.make(elements: words.count)
            return .list(.values(words.map { .string($0) }))
        })

    /// The most bytes that a byte of a text becomes.
    private static let growth = 12

    private static func rewriting(_ name: String, _ body: @escaping @Sendable (String) -> String) -> FunctionTable {
        Functions.global(name) { (value, context) throws(EvaluationFailure) in
            switch value {
            case .null: return .null
            case .string(let text):
                try context.work(text.utf8.count / 4)
                try context.make(growth * text.utf8.count)
                return .string(body(text))
            default: throw .mismatch(name, value)
            }
        }
    }
}

/// The methods of timestamps and durations.
enum TimeFunctions {
    static let table = Functions.tables(
        field("getFullYear") { $0.date.year },
        field("getMonth") { $0.date.month - 1 },
        field("getDate") { $0.date.day },
        field("getDayOfMonth") { $0.date.day - 1 },
        field("getDayOfWeek") { CivilDate.dayOfWeek($0.days) },
        field("getDayOfYear") { $0.date.dayOfYear },
        field("getHours", duration: { $0.seconds / 3600 }) { $0.second / 3600 },
        field("getMinutes", duration: { $0.seconds / 60 }) { $0.second / 60 % 60 },
        field("getSeconds", duration: { $0.seconds }) { $0.second % 60 },
        // For a duration too, the milliseconds are those of its last second.
        field("getMilliseconds", duration: { $0.nanoseconds % CELDuration.perSecond / 1_000_000 }) { $0.milliseconds })

    /// The local date and time of a timestamp in a zone.
    private struct LocalTime {
        let days: Int64
        /// The second of the day.
        let second: Int64
        let milliseconds: Int64

        var date: CivilDate { CivilDate(days: days) }

        init(_ moment: CELTimestamp, _ zone: TimeZone) {
            let seconds = moment.seconds + zone.offset(at: moment.seconds)
            days = seconds.floorDivided(by: 86_400)
            second = seconds.floorRemainder(by: 86_400)
            milliseconds = Int64(moment.nanoseconds / 1_000_000)
        }
    }

    private static func field(
        _ name: String, duration: (@Sendable (CELDuration) -> Int64)? = nil,
        _ body: @escaping @Sendable (LocalTime) -> Int64
    ) -> FunctionTable {
        Functions.tables(
            Functions.method(name) { (value, _) throws(EvaluationFailure) in
                switch value {
                case .timestamp(let moment): return .int(body(LocalTime(moment, .fixed(0))))
                case .duration(let period):
                    guard let duration else { throw .mismatch(name, value) }
                    return .int(duration(period))
                default: throw .mismatch(name, value)
                }
            },
            Functions.method2(name) { (value, zone, context) throws(EvaluationFailure) in
                guard case .timestamp(let moment) = value, case .string(let zoneName) = zone else {
                    throw .mismatch(name, value, zone)
                }
                return .int(body(LocalTime(moment, try TimeZone(zoneName, &context))))
            })
    }
}
