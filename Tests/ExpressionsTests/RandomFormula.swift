/// A generator of random formulas. Most are valid by the grammar, and some evaluate to a value.
struct RandomFormula {
    var random: SplitMix64

    mutating func formula(depth: Int) -> String {
        guard depth > 0 else { return leaf() }
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1: return "(\(formula(depth: depth - 1)) \(pick(Self.operators)) \(formula(depth: depth - 1)))"
        case 2: return "\(formula(depth: depth - 1)).\(pick(Self.macros))(x, \(formula(depth: depth - 1)))"
        case 3: return "\(formula(depth: depth - 1)).\(pick(Self.pairMacros))(k, x, \(formula(depth: depth - 1)))"
        case 4: return "\(pick(Self.functions))(\(formula(depth: depth - 1)))"
        case 5: return "\(formula(depth: depth - 1)).\(pick(Self.methods))(\(formula(depth: depth - 1)))"
        case 6: return "\(formula(depth: depth - 1)).\(pick(Self.plainMethods))()"
        case 7: return "[\(formula(depth: depth - 1)), \(formula(depth: depth - 1))]"
        case 8: return "{\(formula(depth: depth - 1)): \(formula(depth: depth - 1))}"
        case 9: return "(\(formula(depth: depth - 1)) ? \(formula(depth: depth - 1)) : \(formula(depth: depth - 1)))"
        case 10: return "cel.bind(x, \(formula(depth: depth - 1)), \(formula(depth: depth - 1)))"
        default: return "\(formula(depth: depth - 1))[\(formula(depth: depth - 1))]"
        }
    }

    private mutating func leaf() -> String { pick(Self.leaves) }

    private mutating func pick(_ words: [String]) -> String { words.randomElement(using: &random) ?? "" }

    private static let leaves = [
        "1", "-9223372036854775808", "18446744073709551615u", "2.5", "1e300", "'a😀b'", "''", "b'\\xff'", "true", "null",
        "value", "value.a",
        "value.list",
        "[1, 2.5, 'x']", "{'a': 1, 2: 'b'}", "timestamp('2026-01-01T00:00:00Z')", "duration('1h')", "x", "int",
        "'%s %d'", "'(a|b)*c'",
        "[]", "{}", "0",
    ]
    private static let operators = ["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "in", "&&", "||"]
    private static let macros = ["all", "exists", "exists_one", "map", "filter"]
    private static let pairMacros = [
        "all", "exists", "existsOne", "transformList", "transformMap", "transformMapEntry", "map",
    ]
    private static let functions = [
        "size", "int", "uint", "double", "string", "bytes", "bool", "type", "dyn", "timestamp", "duration", "math.abs",
        "math.ceil",
        "math.sign", "math.greatest",
        "math.least", "math.sqrt", "math.bitNot", "strings.quote", "base64.encode", "base64.decode", "-", "!",
    ]
    private static let methods = [
        "contains", "startsWith", "endsWith", "matches", "indexOf", "lastIndexOf", "charAt", "substring", "split",
        "join", "format",
        "getHours", "getDate",
    ]
    private static let plainMethods = [
        "size", "trim", "reverse", "lowerAscii", "upperAscii", "join", "getHours", "getFullYear", "getDayOfYear",
        "getMilliseconds",
    ]
}
