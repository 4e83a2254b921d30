public import JSON

/// A condition on a value beyond its type. One definition serves the check, the text of a rejection and the schema.
public struct Constraint<Value>: Sendable {
    /// Returns the accepted value, possibly normalized, or nil to refuse it.
    @usableFromInline let accept: @Sendable (Value) -> Value?
    /// The condition in words that follow "the value".
    @usableFromInline let demand: String
    /// The keywords of the condition in a schema.
    @usableFromInline let keywords: [(String, JSON)]

    /// Creates a constraint.
    @inlinable
    public init(_ demand: String, keywords: [(String, JSON)] = [], accept: @escaping @Sendable (Value) -> Value?) {
        self.demand = demand
        self.keywords = keywords
        self.accept = accept
    }
}

extension Constraint {
    /// The same constraint for a value that may be null.
    @inlinable
    public static func whereGiven<Wrapped>(_ constraint: Constraint<Wrapped>) -> Constraint where Value == Wrapped? {
        Constraint(constraint.demand, keywords: constraint.keywords) { value in
            guard let value else { return .some(nil) }
            return constraint.accept(value).map { .some($0) }
        }
    }
}

extension Constraint where Value == Int {
    /// An integer in a closed range.
    public static func from(_ range: ClosedRange<Int>) -> Constraint {
        Constraint(
            "must be from \(range.lowerBound) to \(range.upperBound)",
            keywords: [
                ("minimum", .number(Decimal(range.lowerBound))), ("maximum", .number(Decimal(range.upperBound))),
            ]
        ) { range.contains($0) ? $0 : nil }
    }

    /// An integer with a lower bound.
    public static func from(_ range: PartialRangeFrom<Int>) -> Constraint {
        Constraint("must be \(range.lowerBound) or more", keywords: [("minimum", .number(Decimal(range.lowerBound)))]) {
            range.contains($0) ? $0 : nil
        }
    }
}

extension Constraint where Value == Decimal {
    /// An amount of money: 0 or more, with at most two decimals. The limit keeps the sum of 1,000 × 1,000 such amounts
    /// exact.
    public static var money: Constraint {
        let limit: Decimal = 10_000_000_000
        return Constraint(
            "must be from 0 to \(limit), with at most two decimals",
            keywords: [("minimum", 0), ("maximum", .number(limit)), ("multipleOf", 0.01)]
        ) {
            $0 >= 0 && $0 <= limit && $0.rounded(places: 2) == $0 ? $0 : nil
        }
    }

    /// A number of at least 0 and less than 1, with at most six decimals. Its complement to 1 times any amount of money
    /// is exact.
    public static var share: Constraint {
        Constraint(
            "must be 0 or more and less than 1, with at most six decimals",
            keywords: [("minimum", 0), ("exclusiveMaximum", 1), ("multipleOf", 0.000001)]
        ) {
            $0 >= 0 && $0 < 1 && $0.rounded(places: 6) == $0 ? $0 : nil
        }
    }
}

extension Constraint where Value == String {
    /// A string without control characters. After trimming, its length in Unicode scalars (at most four bytes each) is
    /// in `lengths`. Trimming removes only U+0020; a string with other white space at either end is refused.
    public static func line(_ lengths: ClosedRange<Int>) -> Constraint {
        Constraint(
            "must be \(lengths.lowerBound) to \(lengths.upperBound) characters, not counting spaces around them, without control characters and without other white space around them",
            keywords: [("pattern", .string(linePattern(lengths)))]
        ) { text in
            // Fast path for ASCII without surrounding spaces: one byte is one character.
            if text.isPlain { return lengths.contains(text.utf8.count) ? text : nil }
            let scalars = text.withoutSpacesAround
            guard lengths.contains(scalars.count), let first = scalars.first, let last = scalars.last, !first.isBlank,
                !last.isBlank,
                !scalars.contains(where: { $0.properties.generalCategory == .control })
            else { return nil }
            return String(String.UnicodeScalarView(scalars))
        }
    }

    /// The schema pattern of such a string. It counts code points, as the check does.
    private static func linePattern(_ lengths: ClosedRange<Int>) -> String {
        let control = #"\x00-\x1f\x7f-\x9f"#
        let edge = #"[^\s\#(control)]"#
        guard lengths.upperBound > 1 else { return "^ *\(edge) *$" }
        let rest = "[^\(control)]{\(max(0, lengths.lowerBound - 2)),\(lengths.upperBound - 2)}\(edge)"
        return "^ *\(edge)(\(rest))\(lengths.lowerBound > 1 ? "" : "?") *$"
    }
}

extension String {
    /// True if the text is printable ASCII and neither begins nor ends with a space.
    fileprivate var isPlain: Bool {
        var text = self
        return text.withUTF8 { bytes in
            for byte in bytes where !(0x20...0x7E).contains(byte) { return false }
            return bytes.first != 0x20 && bytes.last != 0x20
        }
    }

    /// The text's Unicode scalars without the spaces, U+0020, around them.
    fileprivate var withoutSpacesAround: Substring.UnicodeScalarView {
        var scalars = unicodeScalars[...]
        while scalars.first == " " { scalars.removeFirst() }
        while scalars.last == " " { scalars.removeLast() }
        return scalars
    }
}

extension Unicode.Scalar {
    /// True for white space as the pattern of a schema defines it (ECMA-262, `\\s`).
    fileprivate var isBlank: Bool { properties.isWhitespace || self == "\u{FEFF}" }
}
