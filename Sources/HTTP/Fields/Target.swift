/// The decoded path and query of a request target (RFC 3986, sections 3.3 and 3.4).
public struct Target: Hashable, Sendable {
    /// The decoded segments of the path.
    public let segments: [String]
    /// The decoded parameters of the query, in order.
    public let parameters: [(name: String, value: String)]

    /// Parses `text`; nil if it cannot be decoded as UTF-8.
    public init?(_ text: String) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var segments: [String] = []
        for segment in parts[0].split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let decoded = Self.decode(segment, plusIsSpace: false) else { return nil }
            segments.append(decoded)
        }
        // An absolute address may have no path, which is equivalent to "/" (RFC 9110, section 4.2.3).
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

    /// Returns the values of the parameter `name`, in order.
    public func values(of name: String) -> [String] { parameters.filter { $0.name == name }.map(\.value) }

    /// The first value of the parameter `name`.
    public subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    private static func decode(_ text: Substring, plusIsSpace: Bool) -> String? {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return String(text)
        }
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst().flatMap(Octet.hexValue),
                    let low = rest.popFirst().flatMap(Octet.hexValue)
                else {
                    return nil
                }
                bytes.append(UInt8(high << 4 | low))
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? Octet.space : byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Two targets are equal if they have the same segments and the same parameters in the same order.
    public static func == (one: Target, other: Target) -> Bool {
        one.segments == other.segments && one.parameters.elementsEqual(other.parameters) { $0 == $1 }
    }

    /// Hashes the path.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(segments)
    }
}
