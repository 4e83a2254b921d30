/// The DER form of public keys (SubjectPublicKeyInfo: RFC 3279, RFC 5480, RFC 8410).
enum PublicKeyInfo {
    /// An RSA key of a modulus and an exponent, both without leading zeros.
    static func rsa(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        let key = item(0x30, number(modulus) + number(exponent))
        return item(0x30, item(0x30, rsaEncryption + [0x05, 0x00]) + item(0x03, [0] + key))
    }

    /// A point of the curve P-256, each coordinate in 32 bytes.
    static func p256(x: [UInt8], y: [UInt8]) -> [UInt8] {
        item(0x30, item(0x30, ecPublicKey + prime256v1) + item(0x03, [0, 4] + x + y))
    }

    /// A key of Ed25519 in 32 bytes.
    static func ed25519(_ key: [UInt8]) -> [UInt8] {
        item(0x30, item(0x30, ed25519) + item(0x03, [0] + key))
    }

    /// A signature of ECDSA from its two halves (RFC 3279, section 2.2.3).
    static func signature(_ r: some Collection<UInt8>, _ s: some Collection<UInt8>) -> [UInt8] {
        item(0x30, number(Array(r)) + number(Array(s)))
    }

    /// The object identifiers, with their tags.
    private static let rsaEncryption: [UInt8] = [
        0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01,
    ]
    private static let ecPublicKey: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    private static let prime256v1: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    private static let ed25519: [UInt8] = [0x06, 0x03, 0x2B, 0x65, 0x70]

    /// A positive INTEGER in its shortest form.
    private static func number(_ bytes: [UInt8]) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if digits.first ?? 0x80 >= 0x80 { digits.insert(0, at: 0) }
        return item(0x02, digits)
    }

    private static func item(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        var count: [UInt8] = []
        var left = content.count
        while left > 0 {
            count.insert(UInt8(truncatingIfNeeded: left), at: 0)
            left >>= 8
        }
        return [tag, 0x80 | UInt8(count.count)] + count + content
    }
}
