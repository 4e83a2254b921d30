/// The host and port of a URI (RFC 3986, section 3.2).
package struct Authority: Hashable, Sendable {
    /// The host in lower case; an IPv6 address without its brackets.
    package let host: String
    /// The port, or nil if the text has none.
    package let port: Int?

    /// Parses `text`; nil if it has no valid host and port.
    package init?(_ text: String) {
        let text = text.lowercased()
        let host: Substring
        let rest: Substring
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]"), Self.isIPv6(text[..<end].dropFirst()) else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
        } else {
            let end = text.firstIndex(of: ":") ?? text.endIndex
            host = text[..<end]
            rest = text[end...]
        }
        guard !host.isEmpty,
            text.hasPrefix("[") || !host.utf8.contains(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") })
        else { return nil }
        self.host = String(host)
        if rest.isEmpty || rest == ":" {
            port = nil
        } else {
            let digits = rest.dropFirst()
            guard rest.first == ":", digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(digits),
                number <= 65_535
            else { return nil }
            port = number
        }
    }

    /// Returns true if `text` has only characters of an IPv6 address.
    private static func isIPv6(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { Octet.hexValue($0) != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
    }

    /// True if the host is a name or an address of this machine.
    package var isLoopback: Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy(Self.isOctet)
    }

    /// Returns true if `text` is a number from 0 to 255 in its only form: digits without a leading zero (RFC 3986,
    /// section 3.2.2).
    private static func isOctet(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return false }
        return (text.utf8.count == 1 || first != UInt8(ascii: "0")) && UInt8(text) != nil
    }
}
