import Ground

/// The words of a problem. What is inserted into them can come from the request, so each insertion is cut.
struct ProblemText: ExpressibleByStringInterpolation, Sendable {
    /// The greatest number of characters of words that another part of the program has composed.
    private static let charactersLimit = 1_000
    private static let quote = UInt8(ascii: "\"")

    let text: String

    init(stringLiteral text: String) {
        self.text = text
    }

    init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
    }

    /// Words that another part of the program has composed. Their insertions are not known, so each quotation, each word
    /// and the whole are cut.
    init(_ words: String) {
        guard words.utf8.count > 200 else {
            text = words
            return
        }
        var rest = words[...]
        var text = ""
        while !rest.isEmpty, text.utf8.count < 4 * Self.charactersLimit {
            let others = rest.utf8.dropFirst()
            if rest.utf8.first == Self.quote, let end = others.firstIndex(of: Self.quote) {
                text += "\"\(rest[others.startIndex..<end].excerpt)\""
                rest = rest[rest.utf8.index(after: end)...]
            } else {
                // A space begins the word after it.
                let end = others.firstIndex { $0 == Self.quote || $0 == UInt8(ascii: " ") } ?? rest.endIndex
                text += rest[..<end].excerpt
                rest = rest[end...]
            }
        }
        self.text = text.excerpt(Self.charactersLimit)
    }

    static func + (one: ProblemText, other: ProblemText) -> ProblemText {
        ProblemText(stringLiteral: one.text + other.text)
    }

    /// The words and the insertions of a literal.
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        mutating func appendInterpolation(_ words: ProblemText) {
            text += words.text
        }

        mutating func appendInterpolation(_ value: some Any) {
            text += "\(value)".excerpt
        }
    }
}
