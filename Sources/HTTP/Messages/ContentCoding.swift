/// The content coding that the client of a request wants for its answer (RFC 9110, section 12.5.3).
package enum ContentCoding: Sendable {
    /// As it is.
    case identity
    /// gzip, where that is worth its while,
    case gzip
    /// or for every content, because the client refuses content as it is.
    case gzipOnly
    /// The client refuses everything that the server has.
    case none

    /// True if the client takes gzip, and prefers it.
    @inline(__always)
    package var isGzip: Bool { self == .gzip || self == .gzipOnly }

    /// Returns true if the client takes Brotli, and likes nothing better.
    package static func takesBrotli(_ field: String) -> Bool {
        var weights = CodingWeights()
        let bytes = Array(field.utf8)
        weights.read(bytes.span, 0..<bytes.count)
        return weights.takesBrotli
    }

    /// Content of more bytes than this is worth compressing.
    static let worthwhileBytes = 1_024

    /// Returns true if content of so many bytes goes to the client in gzip.
    @inline(__always)
    func compresses(_ byteCount: Int) -> Bool {
        switch self {
        case .identity, .none: false
        case .gzip: byteCount > Self.worthwhileBytes
        case .gzipOnly: byteCount > 0
        }
    }

    /// Returns true if content of a type becomes smaller by compression. A picture, an archive or a font is compressed
    /// already.
    static func isWorthwhile(_ type: StaticString) -> Bool {
        let type = type.description
        return type.hasPrefix("text/") || ["json", "yaml", "javascript", "xml"].contains { type.contains($0) }
    }
}

/// The weights of an `Accept-Encoding` field, in thousandths; nil for a coding that the field does not name.
struct CodingWeights {
    private var gzip: Int?
    private var brotli: Int?
    private var identity: Int?
    private var others: Int?

    /// No weights, as of a request without the field.
    init() {}

    /// Adds the weights of one field value. A malformed element is ignored.
    mutating func read(_ bytes: Span<UInt8>, _ value: Range<Int>) {
        var start = value.lowerBound
        while start < value.upperBound {
            var end = start
            while end < value.upperBound, bytes[end] != UInt8(ascii: ",") { end += 1 }
            readElement(bytes, start..<end)
            start = end + 1
        }
    }

    private mutating func readElement(_ bytes: Span<UInt8>, _ element: Range<Int>) {
        var end = element.lowerBound
        while end < element.upperBound, bytes[end] != UInt8(ascii: ";") { end += 1 }
        let name = Self.trimmed(bytes, element.lowerBound..<end)
        var weight: Int? = 1_000
        if end < element.upperBound {
            let parameter = Self.trimmed(bytes, end + 1..<element.upperBound)
            guard parameter.count > 2, bytes[parameter.lowerBound] | 0x20 == UInt8(ascii: "q"),
                bytes[parameter.lowerBound + 1] == UInt8(ascii: "=")
            else { return }
            weight = Self.weight(bytes, parameter.lowerBound + 2..<parameter.upperBound)
        }
        guard let weight else { return }
        if Octet.are("gzip", bytes, name) || Octet.are("x-gzip", bytes, name) {
            gzip = max(gzip ?? 0, weight)
        } else if Octet.areExactly("br", bytes, name) {
            brotli = weight
        } else if Octet.are("identity", bytes, name) {
            identity = weight
        } else if Octet.areExactly("*", bytes, name) {
            others = weight
        }
    }

    private static func trimmed(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        func isBlank(_ byte: UInt8) -> Bool { byte == Octet.space || byte == Octet.tab }
        while start < end, isBlank(bytes[start]) { start += 1 }
        while start < end, isBlank(bytes[end - 1]) { end -= 1 }
        return start..<end
    }

    /// Returns the weight of `0`, `1`, `0.8` and the like, in thousandths; nil for other text (RFC 9110, section
    /// 12.4.2).
    private static func weight(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        let first = Int(bytes[range.lowerBound]) - 0x30
        guard (0...1).contains(first), range.count <= 5 else { return nil }
        if range.count > 1, bytes[range.lowerBound + 1] != UInt8(ascii: ".") { return nil }
        var (weight, place) = (first * 1_000, 100)
        for index in range.dropFirst(2) {
            let digit = Int(bytes[index]) - 0x30
            guard (0...9).contains(digit) else { return nil }
            weight += digit * place
            place /= 10
        }
        return weight <= 1_000 ? weight : nil
    }

    /// True if no other coding has a greater weight than Brotli.
    var takesBrotli: Bool {
        let brotli = brotli ?? others ?? 0
        return brotli > 0 && brotli >= gzip ?? others ?? 0 && brotli >= identity ?? 0
    }

    /// The coding that the weights ask for. A client that names no weight for `identity` prefers gzip.
    var coding: ContentCoding {
        let gzip = gzip ?? others ?? 0
        let refusesIdentity = (identity ?? (others == 0 ? 0 : 1)) == 0
        if gzip == 0 { return refusesIdentity ? .none : .identity }
        if refusesIdentity { return .gzipOnly }
        return identity ?? 0 > gzip ? .identity : .gzip
    }
}
