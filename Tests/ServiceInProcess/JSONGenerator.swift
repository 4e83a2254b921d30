import JSON
import Streams

/// A generator of JSON texts that follow a schema; some parts are replaced with difficult texts.
struct JSONGenerator {
    /// Texts that are not JSON, or barely.
    static let edges = [
        "-0", "1e400", "-1e400", "1e-400", "1E308", "123456789012345678901234567890", "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808", "-9223372036854775809", "18446744073709551616", "0.1", "01", "+1", "1.", "NaN", "null",
        "true", "[]", "{}",
        "\"\"", "\"\\u0000\"", "\"\\ud800\"", "\"\\udc00\\ud800\"", "\"\\ud83d\\ude00\"", "\"\u{0}\"", "\"\u{A0}\"",
        "\" \"",
        "\"a\u{301}\u{301}\u{301}\"", "\"\u{FEFF}\"", "\"\u{202E}\"", "\"\\x\"", "\"", "{\"a\":1,\"a\":2}", "{\"\":0}",
        String(repeating: "[", count: 63) + String(repeating: "]", count: 63), String(repeating: "[", count: 300),
        String(repeating: "{\"a\":", count: 70), "\"" + String(repeating: "x", count: 5_000) + "\"",
        "\"a" + String(repeating: "\u{301}", count: 2_000) + "\"", "[" + String(repeating: "0,", count: 2_000) + "0]",
    ]

    private static let texts = [
        "a", "main", "Ada", "cart.totalPrice", "user.title", "catalog.products", "swift", "owner/name", "EUR", "x",
        "a b", "ö", "\u{1F600}",
        "0",
        "2026-01-01T00:00:00Z", "a-b-c|", "--(ab)-#", "1", "streams.a", "feed.events", "*",
    ]
    private static let expressions = [
        "value", "value + 1", "accumulated + value", "[accumulated]", "[accumulated, value]", "value > 0",
        "size(value) > 1", "value.a.b",
        "{'a': value}", "[value].map(x, [x, x])", "string(value)", "int(value)", "value / 0", "-value",
        "value % 2 == 0", "outer",
        "timestamp(value)", "duration('1s') * value", "'%d %.99f'.format([value, value])", "value.split('')",
        "value[0]", "value == value",
        "9223372036854775807 + value", "-9223372036854775808 / -1", "has(value.a) ? value.a : null",
        "value.matches('(a+)+$')",
    ]

    /// The schema of a stream definition.
    private static let definition = DefinitionSchema.definition
    /// The schemas that others refer to.
    private let components: JSON
    private var left = 200

    init(components: JSON) {
        self.components = components
    }

    /// Returns a text that mostly follows a schema.
    mutating func text(of schema: JSON, _ entropy: inout Entropy, depth: Int = 0) -> String {
        left -= 1
        guard left > 0, depth < 12 else { return "0" }
        if entropy.isOne(in: 25) { return entropy.one(of: Self.edges) }
        if case .string(let reference)? = schema["$ref"], let name = reference.split(separator: "/").last,
            let target = components[String(name)]
        {
            return text(of: target, &entropy, depth: depth + 1)
        }
        if case .array(let values)? = schema["enum"], !values.isEmpty { return string(entropy.one(of: values)) }
        for alternatives in ["oneOf", "anyOf"] {
            guard case .array(let forms)? = schema[alternatives], schema["properties"] == nil else { continue }
            return text(of: entropy.one(of: forms), &entropy, depth: depth + 1)
        }
        var type = schema["type"]
        if case .array(let types)? = type { type = entropy.one(of: types) }
        guard case .string(let kind)? = type else { return anything(&entropy, depth: depth) }
        switch kind {
        case "object": return object(schema, &entropy, depth: depth)
        case "array":
            guard let items = schema["items"] else { return "[]" }
            let count = entropy.below(4)
            return "[" + (0..<count).map { _ in text(of: items, &entropy, depth: depth + 1) }.joined(separator: ",")
                + "]"
        case "string":
            if case .string(let words)? = schema["description"], words.contains("CEL") {
                return quoted(entropy.one(of: Self.expressions))
            }
            return quoted(entropy.one(of: Self.texts))
        case "integer": return "\(entropy.below(entropy.one(of: [2, 20, 2_000])))"
        case "number": return entropy.one(of: ["0", "1", "0.001", "2.5", "1000", "0.05"])
        case "boolean": return entropy.one(of: ["true", "false"])
        default: return "null"
        }
    }

    private mutating func object(_ schema: JSON, _ entropy: inout Entropy, depth: Int) -> String {
        guard case .object(let properties)? = schema["properties"] else { return "{}" }
        var required: [JSON] = []
        if case .array(let names)? = schema["required"] { required = names }
        // The generator picks one of several forms and adds its required members.
        var shunned: [JSON] = []
        if case .array(let forms)? = schema["oneOf"] {
            let chosen = entropy.below(forms.count)
            for (index, form) in forms.enumerated() {
                guard case .array(let names)? = form["required"] else { continue }
                if index == chosen { required += names } else { shunned += names }
            }
        }
        var members: [String] = []
        for property in properties {
            let name = JSON.string(property.key)
            guard !shunned.contains(name), required.contains(name) || entropy.isOne(in: 2) else { continue }
            if entropy.isOne(in: 60) { continue }
            members.append(quoted(property.key) + ":" + text(of: property.value, &entropy, depth: depth + 1))
        }
        if entropy.isOne(in: 60) { members.append(quoted(entropy.one(of: Self.texts)) + ":0") }
        return "{" + members.joined(separator: ",") + "}"
    }

    /// Returns the text of any value.
    mutating func anything(_ entropy: inout Entropy, depth: Int = 0) -> String {
        switch entropy.below(depth > 4 ? 4 : 7) {
        case 0: "\(entropy.below(100))"
        case 1: quoted(entropy.one(of: Self.texts))
        case 2: entropy.one(of: Self.edges)
        case 3: entropy.one(of: ["null", "true", "false", "-1.5"])
        case 4, 5:
            "[" + (0..<entropy.below(4)).map { _ in anything(&entropy, depth: depth + 1) }.joined(separator: ",") + "]"
        default: "{\"a\":" + anything(&entropy, depth: depth + 1) + "}"
        }
    }

    /// Returns the text of a try.
    mutating func trial(_ entropy: inout Entropy) -> String {
        var members = ["\"definition\":" + text(of: Self.definition, &entropy)]
        let courses = [
            "\"a-b-c|\"", "\"--(12)-3#\"", "[{\"at\":0,\"value\":1},{\"at\":2,\"end\":true}]",
            "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa|\"",
        ]
        let inputs = ["a", "x", "main", "cart.totalPrice"].map {
            quoted($0) + ":" + (entropy.isOne(in: 8) ? anything(&entropy) : entropy.one(of: courses))
        }
        members.append("\"inputs\":{" + inputs.joined(separator: ",") + "}")
        if entropy.isOne(in: 4) {
            members.append("\"until\":" + entropy.one(of: ["0", "1", "100", "1000000000", "1e30", "-1"]))
        }
        if entropy.isOne(in: 4) { members.append("\"values\":{\"a\":" + anything(&entropy) + "}") }
        return "{" + members.joined(separator: ",") + "}"
    }

    private func quoted(_ text: String) -> String { string(.string(text)) }

    private func string(_ value: JSON) -> String {
        do { return String(decoding: try value.json(), as: UTF8.self) } catch { return "null" }
    }
}
