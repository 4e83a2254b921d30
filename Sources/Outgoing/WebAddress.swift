/// A URL of a client, taken apart. Only one spelling of each host is accepted, so that every reader of the URL finds the
/// same host.
package struct WebAddress: Hashable, Sendable {
    /// The greatest length of a URL in bytes.
    package static let bytesLimit = 2_048

    /// A host: an address, or a name in lower case.
    package enum Host: Hashable, Sendable {
        case address(InternetAddress)
        case name(String)

        /// Reads a host as a URL has it: an IPv6 address stands in brackets. Nil if it is not one.
        init?(_ text: some StringProtocol) {
            if text.hasPrefix("[") {
                guard text.hasSuffix("]"), text.utf8.contains(UInt8(ascii: ":")),
                    let address = InternetAddress(String(text.dropFirst().dropLast()))
                else { return nil }
                self = .address(address)
                return
            }
            let name = text.lowercased()
            let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            guard name.utf8.count <= 253, let last = labels.last,
                labels.allSatisfy({ (1...63).contains($0.count) && $0.allSatisfy(Self.isPartOfName) })
            else { return nil }
            // Other programs read such a name as a number, and that as an address.
            if last.allSatisfy({ (48...57).contains($0) }) || last.starts(with: "0x".utf8) {
                guard !name.utf8.contains(UInt8(ascii: ":")), let address = InternetAddress(name) else { return nil }
                self = .address(address)
                return
            }
            self = .name(name)
        }

        private static func isPartOfName(_ byte: UInt8) -> Bool {
            (48...57).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: "_")
        }
    }

    /// The reason why a text is no such URL.
    package struct Fault: Error {
        /// The reason, as a sentence about the URL.
        package let description: String
    }

    /// The URL with its scheme and host in lower case.
    package let text: String
    /// The host.
    package let host: Host
    /// The port.
    package let port: Int

    /// Reads a URL of the scheme http or https.
    package init(_ written: String) throws(Fault) {
        guard written.utf8.count <= Self.bytesLimit else {
            throw Fault(description: "the URL has more than \(Self.bytesLimit) bytes")
        }
        guard written.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }) else {
            throw Fault(
                description: "a URL has visible ASCII characters only, without a backslash: encode others as %XX")
        }
        let scheme: String
        switch written.prefix(8).lowercased() {
        case "https://": scheme = "https://"
        case let start where start.hasPrefix("http://"): scheme = "http://"
        default: throw Fault(description: "the URL must begin with https:// or http://")
        }
        let rest = written.dropFirst(scheme.utf8.count)
        guard !rest.utf8.contains(UInt8(ascii: "#")) else {
            throw Fault(description: "a fragment is not sent: leave out # and the rest")
        }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.utf8.contains(UInt8(ascii: "@")) else {
            throw Fault(description: "a URL with a user or a password is refused")
        }
        guard let (name, port) = Self.split(authority) else {
            throw Fault(description: "the port is a number from 1 to 65535")
        }
        guard let host = Host(name) else {
            throw Fault(
                description:
                    "the host must be a name without a dot at the end, four decimal numbers without leading zeros, or an IPv6 address in brackets"
            )
        }
        self.host = host
        self.port = port ?? (scheme == "https://" ? 443 : 80)
        let target = rest.dropFirst(authority.count)
        text = scheme + authority.lowercased() + (target.hasPrefix("/") ? "" : "/") + target
    }

    /// Splits `HOST[:PORT]`; nil if there is a port that is none.
    static func split(_ text: Substring) -> (host: Substring, port: Int?)? {
        var host = text
        var end: Substring?
        if text.hasPrefix("["), let bracket = text.lastIndex(of: "]") {
            host = text[...bracket]
            let rest = text[text.index(after: bracket)...]
            if rest.hasPrefix(":") { end = rest.dropFirst() } else if !rest.isEmpty { host = text }
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            end = text[text.index(after: colon)...]
        }
        guard let end else { return (host, nil) }
        guard (1...5).contains(end.utf8.count), end.utf8.allSatisfy({ (48...57).contains($0) }),
            let port = Int(end), (1...65_535).contains(port)
        else { return nil }
        return (host, port)
    }
}
