/// A function as its signature states it: `string.indexOf(string, int) -> int`.
///
/// The type variables `A` and `B` stand for any type, `N` for numbers and `C` for types with an order. A parameter of
/// several types has a bar between them, and `...` repeats the last parameter.
struct FunctionSignature: Sendable {
    let text: String
    let name: String
    let isMethod: Bool
    /// The parameters, with the receiver first; each has one or more types.
    let parameters: [[SignatureType]]
    let isVariadic: Bool
    let result: SignatureType

    /// All signatures by name.
    static let named = Dictionary(grouping: all, by: \.name)

    /// All signatures, in the order of the documentation.
    static let all: [FunctionSignature] = text.split(separator: "\n").map { line in
        guard let signature = FunctionSignature(String(line)) else { preconditionFailure("no signature: \(line)") }
        return signature
    }

    /// The namespaces of functions that are no methods.
    private static let namespaces: Set<String> = ["base64", "lists", "math", "sets", "strings", "text"]

    private init?(_ text: String) {
        let halves = text.split(separator: ")", maxSplits: 1)
        let head = halves[0].split(separator: "(", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, head.count == 2, halves[1].hasPrefix(" -> "),
            let result = SignatureType(halves[1].dropFirst(4))
        else { return nil }
        var name = head[0]
        var types: [[SignatureType]] = []
        if let dot = name.lastIndex(of: "."), !Self.namespaces.contains(String(name[..<dot])) {
            guard let receiver = SignatureType(name[..<dot]) else { return nil }
            types.append([receiver])
            name = name[name.index(after: dot)...]
            isMethod = true
        } else {
            isMethod = false
        }
        var parameters = SignatureType.split(head[1], at: ",")
        isVariadic = parameters.last == "..."
        if isVariadic { parameters.removeLast() }
        for parameter in parameters {
            let choices = SignatureType.split(parameter[...], at: "|").map { SignatureType($0[...]) }
            types.append(choices.compactMap(\.self))
            guard !choices.contains(nil) else { return nil }
        }
        (self.text, self.name, self.parameters, self.result) = (text, String(name), types, result)
    }

    /// Returns true if a call with `count` values, including the receiver, fits.
    func takes(_ count: Int) -> Bool { isVariadic ? count >= parameters.count : count == parameters.count }

    /// Returns the types of the value at a place.
    func parameter(_ place: Int) -> [SignatureType] { parameters[min(place, parameters.count - 1)] }
}

/// A type in a signature.
indirect enum SignatureType: Hashable, Sendable {
    case plain(ExpressionType)
    case variable(Character)
    case list(SignatureType)
    case map(SignatureType, SignatureType)

    init?(_ text: Substring) {
        switch text {
        case "A", "B", "N", "C": self = .variable(text.first ?? "A")
        case _ where text.hasPrefix("list<") && text.hasSuffix(">"):
            guard let element = SignatureType(text.dropFirst(5).dropLast()) else { return nil }
            self = .list(element)
        case _ where text.hasPrefix("map<") && text.hasSuffix(">"):
            let parts = Self.split(text.dropFirst(4).dropLast(), at: ",")
            guard parts.count == 2, let key = SignatureType(parts[0][...]), let value = SignatureType(parts[1][...])
            else { return nil }
            self = .map(key, value)
        default:
            guard let type = Self.names[String(text)] else { return nil }
            self = .plain(type)
        }
    }

    private static let names: [String: ExpressionType] = [
        "dyn": .dyn, "null": .null, "bool": .bool, "int": .int, "uint": .uint, "double": .double, "decimal": .decimal,
        "string": .string, "bytes": .bytes, "timestamp": .timestamp, "duration": .duration, "type": .type,
    ]

    /// Splits a text at a separator that is not within angle brackets, and trims spaces.
    static func split(_ text: Substring, at separator: Character) -> [String] {
        var parts: [String] = []
        var part = ""
        var depth = 0
        for character in text {
            if character == "<" { depth += 1 }
            if character == ">" { depth -= 1 }
            if character == separator, depth == 0 {
                parts.append(part)
                part = ""
            } else if character != " " || !part.isEmpty {
                part.append(character)
            }
        }
        if !part.isEmpty || !parts.isEmpty { parts.append(part) }
        return parts.map { String($0.reversed().drop { $0 == " " }.reversed()) }
    }
}
