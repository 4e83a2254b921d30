import StateStore

/// The secret of a hook (Standard Webhooks 1.0): `whsec_` and the key in Base64, or the key itself as text.
struct HookSecret: Hashable, Sendable {
    private static let prefix = "whsec_"
    /// The greatest size of a key in bytes.
    static let bytesLimit = 512

    /// The key of the signatures.
    let key: [UInt8]

    /// Reads a secret; nil if it is none.
    init?(_ text: String) {
        guard text.hasPrefix(Self.prefix) else {
            guard (1...Self.bytesLimit).contains(text.utf8.count) else { return nil }
            key = Array(text.utf8)
            return
        }
        let letters = String(
            text.dropFirst(Self.prefix.count).map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.reversed().drop {
                $0 == "="
            }.reversed())
        guard let key = Base64URL.bytes(letters), (1...Self.bytesLimit).contains(key.count) else { return nil }
        self.key = key
    }

    /// Returns the signature of a delivery: `v1,` and the code of its id, its time and its body in Base64.
    func signature(id: String, seconds: Int, body: [UInt8]) -> String {
        "v1," + Self.base64(HMAC.systemCode(Array("\(id).\(seconds).".utf8) + body, key: key))
    }

    /// Returns bytes in Base64 with padding (RFC 4648, section 4).
    static func base64(_ bytes: [UInt8]) -> String {
        let letters = Base64URL.text(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return String(letters) + String(repeating: "=", count: (3 - bytes.count % 3) % 3)
    }
}

extension HMAC {
    /// The size from which libcrypto computes a code, if the system has it: it is ten times as fast.
    private static let systemBytes = 16_384

    fileprivate static func systemCode(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        if bytes.count >= systemBytes, LibCrypto.isAvailable, let code = LibCrypto.hmac(bytes, key: key) { return code }
        return code(bytes, key: key)
    }
}
