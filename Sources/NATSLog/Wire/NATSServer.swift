/// The address of one NATS server: `nats://HOST[:PORT]`, or `tls://HOST[:PORT]` for an encrypted connection.
package struct NATSServer: Hashable, Sendable, CustomStringConvertible {
    /// The host name or the address, without brackets.
    package let host: String
    /// The port, by default 4222.
    package let port: UInt16
    /// True if the connection is encrypted and the server's certificate must name the host.
    package let usesTLS: Bool

    /// Reads one address; throws the reason in words, which never repeats a password.
    package init(_ text: some StringProtocol) throws(NATSFault) {
        let words = "a NATS server is nats://HOST[:PORT] or tls://HOST[:PORT]"
        let scheme = text.prefix { $0 != ":" }
        var rest = Substring(text.dropFirst(scheme.count))
        guard ["nats", "tls"].contains(scheme), rest.hasPrefix("://") else {
            throw .unusable("\(words), not \"\(Self.hidden(text))\"")
        }
        usesTLS = scheme == "tls"
        rest = rest.dropFirst(3)
        if rest.last == "/" { rest = rest.dropLast() }
        guard !rest.contains("@") else {
            throw .unusable(
                "the address of a NATS server has no user: use HEADWATER_JOURNAL_USER and HEADWATER_JOURNAL_PASSWORD, "
                    + "or --journal-creds")
        }
        let isBracketed = rest.first == "["
        let end = isBracketed ? rest.firstIndex(of: "]").map { rest.index(after: $0) } : rest.firstIndex(of: ":")
        let name = rest[..<(end ?? rest.endIndex)]
        let digits = rest[(end ?? rest.endIndex)...]
        host = String(isBracketed ? name.dropFirst().dropLast() : name)
        let permitted = { (byte: UInt8) in
            byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                || byte == UInt8(ascii: ":") || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
        }
        guard !host.isEmpty, host.utf8.allSatisfy(permitted), isBracketed || !host.contains(":"),
            digits.isEmpty || digits.first == ":"
        else { throw .unusable("\(words), not \"\(text)\"") }
        guard let port = digits.isEmpty ? 4_222 : UInt16(digits.dropFirst()), port > 0 else {
            throw .unusable("\(words), not \"\(text)\"")
        }
        self.port = port
    }

    /// Reads a list of addresses with commas between them, in order; the last of a repeated address counts once.
    package static func list(_ text: String) throws(NATSFault) -> [NATSServer] {
        var servers: [NATSServer] = []
        for part in text.split(separator: ",") {
            let server = try NATSServer(part.drop { $0 == " " })
            if !servers.contains(server) { servers.append(server) }
        }
        guard !servers.isEmpty else { throw .unusable("no NATS server is named, such as nats://127.0.0.1:4222") }
        guard Set(servers.map(\.usesTLS)).count == 1 else {
            throw .unusable("nats:// and tls:// do not mix: a server without TLS would see the password")
        }
        return servers
    }

    /// The address as a URL.
    package var description: String {
        "\(usesTLS ? "tls" : "nats")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// The text without what stands before an `@`.
    private static func hidden(_ text: some StringProtocol) -> String {
        text.lastIndex(of: "@").map { "…\(text[$0...])" } ?? String(text)
    }
}
