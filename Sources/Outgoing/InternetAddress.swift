internal import Glibc
package import StateStore

/// An IPv4 or IPv6 address.
package struct InternetAddress: Hashable, Sendable, CustomStringConvertible {
    /// The 4 or 16 bytes.
    private let bytes: [UInt8]

    /// An address from its bytes; nil if they are neither 4 nor 16.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Reads four decimal numbers without leading zeros, or an IPv6 address without a zone (RFC 5952, RFC 4291).
    package init?(_ text: String) {
        let isShort = !text.utf8.contains(UInt8(ascii: ":"))
        var bytes = [UInt8](repeating: 0, count: isShort ? 4 : 16)
        guard !text.utf8.contains(0), inet_pton(isShort ? AF_INET : AF_INET6, text, &bytes) == 1 else { return nil }
        self.bytes = bytes
    }

    /// The usual text.
    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil else {
            return "an address"
        }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns true if both are one address, also if one of them is mapped into IPv6.
    package func isSame(as other: InternetAddress) -> Bool { unmapped.bytes == other.unmapped.bytes }

    private var unmapped: InternetAddress {
        guard bytes.count == 16, bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF else {
            return self
        }
        return InternetAddress(Array(bytes[12...])) ?? self
    }

    /// The network of one subscriber: the address itself of IPv4, also of one that is mapped into IPv6, and the first 64
    /// bits of IPv6.
    package var subscriberNetwork: String {
        let address = unmapped
        guard address.bytes.count == 16 else { return address.description }
        let network = InternetAddress(Array(bytes[..<8]) + [UInt8](repeating: 0, count: 8))
        return "\(network?.description ?? description)/64"
    }

    /// The least reach that has the address: `.any` for link-local, multicast and reserved ones, for those of the
    /// metadata of clouds, and for those that are no address of one machine.
    package var reach: AddressReach {
        if bytes.count == 4 { return Self.reach(bytes) }
        if bytes[..<15].allSatisfy({ $0 == 0 }) { return bytes[15] == 1 ? .local : .any }
        if let inner { return Self.reach(inner) }
        switch bytes[0] {
        // Unique local (RFC 4193), but for the metadata of a cloud.
        case 0xFC, 0xFD: return bytes.starts(with: [0xFD, 0x00, 0x0E, 0xC2]) ? .any : .local
        case 0x20...0x3F:
            // Teredo, documentation, and other assignments of the IETF (RFC 6890).
            let isSpecial = bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8]) || bytes.starts(with: [0x3F, 0xFF])
            return isSpecial || (bytes.starts(with: [0x20, 0x01]) && bytes[2] < 2) ? .any : .global
        default: return .any
        }
    }

    /// The IPv4 address that an IPv6 address leads to: mapped, compatible, translated (RFC 6052), or 6to4 (RFC 3056).
    private var inner: [UInt8]? {
        let last = Array(bytes[12...])
        if bytes[..<12].allSatisfy({ $0 == 0 }) { return last }
        if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF { return last }
        if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) { return last }
        if bytes.starts(with: [0x20, 0x02]) { return Array(bytes[2..<6]) }
        return nil
    }

    private static func reach(_ bytes: [UInt8]) -> AddressReach {
        switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
        // The metadata of clouds.
        case (100, 100, 100, 200), (168, 63, 129, 16): .any
        case (10, _, _, _), (127, _, _, _), (172, 16...31, _, _), (192, 168, _, _), (100, 64...127, _, _): .local
        case (0, _, _, _), (169, 254, _, _), (192, 0, 0, _), (192, 0, 2, _), (192, 88, 99, _), (198, 18...19, _, _),
            (198, 51, 100, _), (203, 0, 113, _), (224..., _, _, _):
            .any
        default: .global
        }
    }
}
