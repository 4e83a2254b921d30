import JSON

/// The subject of a token, by which a device tells people apart.
enum TokenSubject {
    /// Returns the claim `sub` of a JSON Web Token, and for any other token a name of its own. The name does not give the
    /// token away: it has 40 bits of a digest.
    static func name(of token: String?) -> String {
        guard let token, !token.isEmpty else { return "anonymous" }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 3, let claims = try? JSON(parsing: decoded(parts[1])), let subject = claims["sub"]?.text {
            return "sub-" + subject
        }
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in token.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return "token-" + String(digest & 0xFF_FFFF_FFFF, radix: 36)
    }

    /// Decodes base64url (RFC 4648 §5), up to the first byte that is none of its letters.
    private static func decoded(_ text: Substring) -> [UInt8] {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for letter in text.utf8 {
            let value: UInt8
            switch letter {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = letter - 65
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = letter - 71
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = letter + 4
            case UInt8(ascii: "-"): value = 62
            case UInt8(ascii: "_"): value = 63
            default: return bytes
            }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }
}
