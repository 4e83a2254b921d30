/// The media types that a client accepts, each with a weight (RFC 9110, section 12.5.1).
package struct Acceptance: Sendable {
    private struct MediaRange {
        let type: String
        let subtype: String
        let quality: Double
        /// The parameters besides the weight, as `name=value` in lower case.
        let parameters: [String]

        /// The number of parts that match without a wildcard (0 to 2), or nil if the range does not cover the media
        /// type.
        func precision(for type: String, _ subtype: String) -> Int? {
            if self.type == type, self.subtype == subtype { return 2 }
            if self.type == type, self.subtype == "*" { return 1 }
            return self.type == "*" ? 0 : nil
        }
    }

    private var ranges: [MediaRange] = []

    /// Reads an `Accept` value. A malformed element is ignored.
    package init(_ value: String) {
        for part in value.split(separator: ",") {
            let pieces = part.split(separator: ";").map(\.trimmingSpaces)
            guard let kind = pieces.first?.lowercased().split(separator: "/"), kind.count == 2 else { continue }
            var quality: Double? = 1.0
            var parameters: [String] = []
            for piece in pieces.dropFirst() {
                let parameter = piece.lowercased()
                if parameter.hasPrefix("q=") {
                    quality = Self.weight(piece.dropFirst(2))
                } else {
                    parameters.append(parameter.replacing("\"", with: ""))
                }
            }
            guard let quality else { continue }
            ranges.append(
                MediaRange(
                    type: String(kind[0]), subtype: String(kind[1]), quality: quality, parameters: parameters))
        }
    }

    /// Returns the weight that `text` denotes, or nil for any other text: 0 or 1 with at most three decimals, at most 1
    /// (RFC 9110, section 12.4.2).
    private static func weight(_ text: Substring) -> Double? {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, first == UInt8(ascii: "0") || first == UInt8(ascii: "1"), bytes.count <= 5 else {
            return nil
        }
        guard bytes.count == 1 || bytes[1] == UInt8(ascii: ".") else { return nil }
        let greatest = UInt8(ascii: first == UInt8(ascii: "1") ? "0" : "9")
        guard bytes.dropFirst(2).allSatisfy({ (UInt8(ascii: "0")...greatest).contains($0) }) else { return nil }
        return bytes.last == UInt8(ascii: ".") ? Double(first - UInt8(ascii: "0")) : Double(text)
    }

    /// Returns the weight of a media type, 0 to 1. It is 1 if the client named no range.
    package func quality(of type: String, _ subtype: String) -> Double {
        guard !ranges.isEmpty else { return 1 }
        var best: (precision: Int, quality: Double)?
        for range in ranges {
            guard let precision = range.precision(for: type, subtype), precision > best?.precision ?? -1 else {
                continue
            }
            best = (precision, range.quality)
        }
        return best?.quality ?? 0
    }

    /// Returns true if the client named the media type with a parameter, given as `name=value` in lower case, and with a
    /// weight above 0.
    package func names(_ type: String, _ subtype: String, with parameter: String) -> Bool {
        ranges.contains {
            $0.type == type && $0.subtype == subtype && $0.quality > 0 && $0.parameters.contains(parameter)
        }
    }

    /// Returns true if the client named the media type itself with a weight above 0, not only a wildcard that covers
    /// it.
    package func names(_ type: String, _ subtype: String) -> Bool {
        ranges.contains { $0.type == type && $0.subtype == subtype && $0.quality > 0 }
    }
}
