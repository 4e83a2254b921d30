/// A path and a query, taken apart (RFC 3986, sections 3.3 and 3.4).
public struct Target: Hashable, Sendable {
    /// The path's segments, decoded; nil where one of them is no text.
    public let segments: [String]
    /// The query's parameters, decoded, in their order.
    public let parameters: [(name: String, value: String)]

    /// Takes a target apart; nil where it cannot be decoded.
    public init?(_ text: String) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var segments: [String] = []
        for segment in parts[0].split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let decoded = Self.decode(segment, plusIsSpace: false) else { return nil }
            segments.append(decoded)
        }
        // An absolute address may have no path, which means the same as one slash (RFC 9110, section 4.2.3).
        self.segments = parts[0].isEmpty ? [""] : segments
        var parameters: [(name: String, value: String)] = []
        if parts.count == 2 {
            for parameter in parts[1].split(separator: "&") {
                let pieces = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard let name = Self.decode(pieces[0], plusIsSpace: true),
                    let value = Self.decode(pieces.count == 2 ? pieces[1] : "", plusIsSpace: true)
                else { return nil }
                parameters.append((name, value))
            }
        }
        self.parameters = parameters
    }

    /// The values of a parameter, in their order.
    public func values(of name: String) -> [String] { parameters.filter { $0.name == name }.map(\.value) }

    /// The value of a parameter, the first where there are several.
    public subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    private static func decode(_ text: Substring, plusIsSpace: Bool) -> String? {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return String(text) }
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst().flatMap(Octet.hexValue), let low = rest.popFirst().flatMap(Octet.hexValue) else {
                    return nil
                }
                bytes.append(UInt8(high << 4 | low))
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? Octet.space : byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Two targets are equal where they say the same in the same order.
    public static func == (one: Target, other: Target) -> Bool {
        one.segments == other.segments && one.parameters.elementsEqual(other.parameters) { $0 == $1 }
    }

    /// Adds the path.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(segments)
    }
}
