import Ground

/// A stream of bytes that follows from a key and a nonce, in blocks of SHA-256.
enum Keystream {
    private static let blockBytes = 32

    /// XORs bytes with the stream. Two applications return the original bytes.
    static func applied(to bytes: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8] {
        var result = bytes
        for start in stride(from: 0, to: bytes.count, by: blockBytes) {
            let offset = withUnsafeBytes(of: UInt64(start).littleEndian) { Array($0) }
            let block = SHA256.digest(key + nonce + offset)
            for index in start..<min(start + blockBytes, bytes.count) { result[index] ^= block[index - start] }
        }
        return result
    }
}
