public import JSON

/// A condition on a value beyond its type. One definition serves the check, the text of a rejection and the schema.
public struct Constraint<Value>: Sendable {
    /// The value as it is to be taken; nil where it is refused.
    @usableFromInline let accept: @Sendable (Value) -> Value?
    /// The condition in words that follow "the value".
    @usableFromInline let demand: String
    /// The keywords that a schema says it with.
    @usableFromInline let keywords: [(String, JSON)]

    /// A demand.
    @inlinable
    public init(_ demand: String, keywords: [(String, JSON)] = [], accept: @escaping @Sendable (Value) -> Value?) {
        self.demand = demand
        self.keywords = keywords
        self.accept = accept
    }
}

extension Constraint {
    /// The same of a value that may be null.
    @inlinable
    public static func whereGiven<Wrapped>(_ constraint: Constraint<Wrapped>) -> Constraint where Value == Wrapped? {
        Constraint(constraint.demand, keywords: constraint.keywords) { value in
            guard let value else { return .some(nil) }
            return constraint.accept(value).map { .some($0) }
        }
    }
}

extension Constraint where Value == Int {
    /// From one number to another.
    public static func from(_ range: ClosedRange<Int>) -> Constraint {
        Constraint(
            "must be from \(range.lowerBound) to \(range.upperBound)",
            keywords: [
                ("minimum", .number(Decimal(range.lowerBound))), ("maximum", .number(Decimal(range.upperBound))),
            ]
        ) { range.contains($0) ? $0 : nil }
    }

    /// A number or a greater one.
    public static func from(_ range: PartialRangeFrom<Int>) -> Constraint {
        Constraint("must be \(range.lowerBound) or more", keywords: [("minimum", .number(Decimal(range.lowerBound)))]) {
            range.contains($0) ? $0 : nil
        }
    }
}

extension Constraint where Value == Decimal {
    /// An amount of money: 0 or more, with at most two decimals. It has a limit, so that a thousand of a thousand such
    /// amounts still have an exact sum.
    public static var money: Constraint {
        let limit: Decimal = 10_000_000_000
        return Constraint(
            "must be from 0 to \(limit), with at most two decimals",
            keywords: [("minimum", 0), ("maximum", .number(limit)), ("multipleOf", 0.01)]
        ) {
            $0 >= 0 && $0 <= limit && $0.rounded(places: 2) == $0 ? $0 : nil
        }
    }

    /// 0, or more but less than 1, with at most six decimals: with what is left of 1 any amount of money can still be
    /// multiplied exactly.
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
    /// A text without control characters, of so many characters (Unicode scalars, so at most four bytes each) when the
    /// spaces around it are taken away. Only U+0020 is taken away: a text that begins or ends with other white space is
    /// refused.
    public static func line(_ lengths: ClosedRange<Int>) -> Constraint {
        Constraint(
            "must be \(lengths.lowerBound) to \(lengths.upperBound) characters, not counting spaces around them, without control characters and without other white space around them",
            keywords: [("pattern", .string(linePattern(lengths)))]
        ) { text in
            // Nearly every text is plain ASCII without space around it, where a byte is a character.
            if text.isPlain { return lengths.contains(text.utf8.count) ? text : nil }
            let scalars = text.withoutSpacesAround
            guard lengths.contains(scalars.count), let first = scalars.first, let last = scalars.last, !first.isBlank,
                !last.isBlank,
                !scalars.contains(where: { $0.properties.generalCategory == .control })
            else { return nil }
            return String(String.UnicodeScalarView(scalars))
        }
    }

    /// The pattern that a schema says such a text with. It counts code points, as the check does.
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
