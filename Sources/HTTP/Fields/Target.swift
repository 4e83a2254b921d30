/// The decoded path and query of a request target (RFC 3986, sections 3.3 and 3.4).
package struct Target: Hashable, Sendable {
    /// The decoded segments of the path.
    package let segments: [String]
    /// The decoded parameters of the query, in order.
    package let parameters: [(name: String, value: String)]

    /// Parses `text`; nil if it cannot be decoded as UTF-8.
    package init?(_ text: String) {
        self.init(Array(text.utf8))
    }

    /// Parses a target; nil if it cannot be decoded as UTF-8.
    package init?(_ bytes: [UInt8]) {
        let mark = bytes.firstIndex(of: UInt8(ascii: "?"))
        let path = bytes[..<(mark ?? bytes.endIndex)]
        // An absolute address may have no path, which is equivalent to "/" (RFC 9110, section 4.2.3).
        var segments: [String] = path.isEmpty ? [""] : []
        var rest = path
        while let slash = rest.firstIndex(of: UInt8(ascii: "/")) {
            rest = rest[(slash + 1)...]
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            guard let segment = Self.decode(rest[..<end], plusIsSpace: false) else { return nil }
            segments.append(segment)
        }
        self.segments = segments
        var parameters: [(name: String, value: String)] = []
        if let mark {
            for parameter in bytes[(mark + 1)...].split(separator: UInt8(ascii: "&")) {
                let equals = parameter.firstIndex(of: UInt8(ascii: "="))
                guard let name = Self.decode(parameter[..<(equals ?? parameter.endIndex)], plusIsSpace: true),
                    let value = Self.decode(equals.map { parameter[($0 + 1)...] } ?? [], plusIsSpace: true)
                else { return nil }
                parameters.append((name, value))
            }
        }
        self.parameters = parameters
    }

    /// Returns the values of the parameter `name`, in order.
    package func values(of name: String) -> [String] { parameters.filter { $0.name == name }.map(\.value) }

    /// The first value of the parameter `name`.
    package subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    private static func decode(_ text: ArraySlice<UInt8>, plusIsSpace: Bool) -> String? {
        guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return String(validating: text, as: UTF8.self)
        }
        var bytes: [UInt8] = []
        var rest = text
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
    package static func == (one: Target, other: Target) -> Bool {
        one.segments == other.segments && one.parameters.elementsEqual(other.parameters) { $0 == $1 }
    }

    /// Hashes the path.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(segments)
    }
}
