/// Which kinds of content a client takes, and how gladly (RFC 9110, section 12.5.1).
public struct Acceptance: Sendable {
    private struct MediaRange {
        let type: String
        let subtype: String
        let quality: Double

        /// How closely it names a kind of content; nil where it does not.
        func precision(for type: String, _ subtype: String) -> Int? {
            if self.type == type, self.subtype == subtype { return 2 }
            if self.type == type, self.subtype == "*" { return 1 }
            return self.type == "*" ? 0 : nil
        }
    }

    private var ranges: [MediaRange] = []

    /// What a value says. What in it cannot be read counts for nothing.
    public init(_ value: String) {
        for part in value.split(separator: ",") {
            let pieces = part.split(separator: ";").map(\.trimmingSpaces)
            guard let kind = pieces.first?.lowercased().split(separator: "/"), kind.count == 2 else { continue }
            var quality: Double? = 1.0
            for piece in pieces.dropFirst() where piece.lowercased().hasPrefix("q=") { quality = Self.weight(piece.dropFirst(2)) }
            guard let quality else { continue }
            ranges.append(MediaRange(type: String(kind[0]), subtype: String(kind[1]), quality: quality))
        }
    }

    /// A weight: 0 or 1, with at most three decimals and not above 1 (RFC 9110, section 12.4.2); nil for any other text.
    private static func weight(_ text: Substring) -> Double? {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, first == UInt8(ascii: "0") || first == UInt8(ascii: "1"), bytes.count <= 5 else { return nil }
        guard bytes.count == 1 || bytes[1] == UInt8(ascii: ".") else { return nil }
        let greatest = UInt8(ascii: first == UInt8(ascii: "1") ? "0" : "9")
        guard bytes.dropFirst(2).allSatisfy({ (UInt8(ascii: "0")...greatest).contains($0) }) else { return nil }
        return bytes.last == UInt8(ascii: ".") ? Double(first - UInt8(ascii: "0")) : Double(text)
    }

    /// How gladly a kind of content is taken, 0 to 1; nothing said is everything taken.
    public func quality(of type: String, _ subtype: String) -> Double {
        guard !ranges.isEmpty else { return 1 }
        var best: (precision: Int, quality: Double)?
        for range in ranges {
            guard let precision = range.precision(for: type, subtype), precision > best?.precision ?? -1 else { continue }
            best = (precision, range.quality)
        }
        return best?.quality ?? 0
    }

    /// Whether a kind of content is named itself, not only covered by a wildcard.
    public func names(_ type: String, _ subtype: String) -> Bool {
        ranges.contains { $0.type == type && $0.subtype == subtype && $0.quality > 0 }
    }
}
