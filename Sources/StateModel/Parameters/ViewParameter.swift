package import JSON

/// One parameter of a view: its name, its schema and its default.
package struct ViewParameter: Sendable {
    /// The types that a parameter can have.
    enum Kind: String {
        case string, integer, number, boolean

        /// The name with its article.
        var phrase: String { self == .integer ? "an integer" : "a \(rawValue)" }
    }

    /// The name in a query.
    package let name: String
    /// The schema of its values, with the default.
    package let schema: JSON
    /// True if a request must have it.
    package let isRequired: Bool
    /// The value of a request without it; null if there is none.
    let fallback: JSON
    let kind: Kind

    /// The names that no parameter can have, because a request uses them otherwise.
    package static let reservedNames = [
        "at", "atLeast", "since", "until", "from", "to", "wait", "events", "lastEventId", "delta", "progress", "view",
        "watch", "limit", "after", "total", "definition", "presence", "as", "with", "access_token", "ticket", "format",
        "fields",
    ]

    /// A parameter with the schema of a field of a record; nil if a query cannot hold the values of that schema.
    init?(_ name: String, _ schema: JSON, isRequired: Bool, fallback: JSON) {
        var own = schema
        if case .array(let forms)? = schema["anyOf"] {
            // A field that may be null can be left out, and cannot be null otherwise.
            guard !isRequired, fallback == .null, forms.count == 2, forms[1] == ["type": "null"] else { return nil }
            own = forms[0]
        }
        guard case .object(var members) = own, let kind = Self.kind(of: own) else { return nil }
        if fallback != .null { members["default"] = fallback }
        self.name = name
        self.schema = .object(members)
        self.isRequired = isRequired
        self.fallback = fallback
        self.kind = kind
    }

    private static func kind(of schema: JSON) -> Kind? {
        if case .string(let type)? = schema["type"] { return Kind(rawValue: type) }
        guard case .array(let values)? = schema["enum"], let first = values.first,
            values.allSatisfy({ $0.kind == first.kind })
        else { return nil }
        switch first {
        case .string: return .string
        case .number: return .number
        case .bool: return .boolean
        default: return nil
        }
    }

    /// The values, if they can be listed.
    var choices: [String] {
        guard case .array(let values)? = schema["enum"] else { return kind == .boolean ? ["false", "true"] : [] }
        return values.map(Self.text)
    }

    /// Reads a value as a query has it; nil if it is of another type.
    func value(_ text: String) -> JSON? {
        switch kind {
        case .string: return .string(text)
        case .boolean: return text == "true" ? true : text == "false" ? false : nil
        case .integer, .number:
            // White space around a number is JSON, but no number.
            guard text.utf8.allSatisfy({ !($0 == 0x20 || (0x09...0x0D).contains($0)) }),
                case .number(let number)? = try? JSON(parsing: Array(text.utf8)),
                kind == .number || number.int64 != nil
            else { return nil }
            return .number(number)
        }
    }

    /// Returns a value as a query has it, before it is percent-encoded.
    static func text(_ value: JSON) -> String {
        switch value {
        case .string(let text): text
        case .number(let number): "\(number)"
        case .bool(let flag): "\(flag)"
        default: ""
        }
    }
}
