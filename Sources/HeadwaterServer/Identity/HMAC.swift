import Ground

/// The keyed hash function HMAC-SHA-256 (RFC 2104), for servers that need no libcrypto.
enum HMAC {
    private static let blockBytes = 64

    /// Returns the code of some bytes under a key: 32 bytes.
    static func code(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        var block = key.count > blockBytes ? SHA256.digest(key) : key
        block += [UInt8](repeating: 0, count: blockBytes - block.count)
        let inner = SHA256.digest(block.map { $0 ^ 0x36 } + bytes)
        return SHA256.digest(block.map { $0 ^ 0x5C } + inner)
    }
}
