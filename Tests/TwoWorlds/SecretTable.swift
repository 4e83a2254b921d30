import JSON

/// The values that differ between the two worlds of a scenario. The texts of the scenario name them by markers:
///
/// | marker | stands for |
/// |---|---|
/// | `"<<secret 3>>"`, with the quotes | the value of this world, as JSON |
/// | `<<text 3>>` | the same as bare text |
/// | `"<<guessed 3>>"`, `<<guess 3>>` | the value of the first world, in both worlds |
struct SecretTable: Sendable {
    private var values: [(first: JSON, second: JSON)] = []

    /// Adds a value, and returns its number.
    mutating func add(_ first: JSON, _ second: JSON) -> Int {
        values.append((first, second))
        return values.count - 1
    }

    /// Returns a value.
    func value(_ number: Int, in world: Int) -> JSON { world == 0 ? values[number].first : values[number].second }

    /// The number of values.
    var count: Int { values.count }

    /// Returns the lines that say which values the worlds have for the markers in a text.
    func description(of text: String) -> String {
        values.enumerated().filter { text.contains(" \($0.offset)>>") }
            .map { "\nsecret \($0): \(Self.text($1.first)) or \(Self.text($1.second))" }.joined()
    }

    /// Returns a text of the scenario as one world sends it. `recalled` returns the part of an earlier answer that a
    /// marker such as `<<etag 7>>` names.
    func text(_ text: String, in world: Int, recalled: (_ kind: Substring, _ step: Int) -> String) -> String {
        guard text.contains("<<") else { return text }
        var result = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "<<"), let end = rest[start.upperBound...].firstRange(of: ">>") {
            let words = rest[start.upperBound..<end.lowerBound].split(separator: " ")
            var before = rest[..<start.lowerBound]
            rest = rest[end.upperBound...]
            guard words.count == 2, let number = Int(words[1]) else { continue }
            switch words[0] {
            case "secret", "guessed":
                // The quotes around the marker belong to it.
                before = before.dropLast()
                rest = rest.dropFirst()
                result += before + Self.text(value(number, in: words[0] == "secret" ? world : 0))
            case "text": result += before + Self.bare(value(number, in: world))
            case "guess": result += before + Self.bare(value(number, in: 0))
            default: result += before + recalled(words[0], number)
            }
        }
        return result + rest
    }

    private static func text(_ value: JSON) -> String { value.text }

    private static func bare(_ value: JSON) -> String {
        if case .string(let text) = value { text } else { text(value) }
    }
}
