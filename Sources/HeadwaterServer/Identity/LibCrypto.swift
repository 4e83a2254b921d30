import CCrypto

/// The system's libcrypto. Precondition of all but `load`: it is loaded.
enum LibCrypto {
    /// The reason why libcrypto is not available; nil if it is. The first use loads it.
    static let lack = hw_crypto_load().map { String(cString: $0) }

    /// True if libcrypto is loaded, or can be.
    static var isAvailable: Bool { lack == nil }

    /// Returns the SHA-256 of some bytes, or nil if libcrypto cannot compute it.
    static func sha256(_ bytes: [UInt8]) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 32)
        return withPointer(bytes) { hw_crypto_sha256($0, bytes.count, &digest) } ? digest : nil
    }

    /// Returns the HMAC-SHA-256 of some bytes, or nil if libcrypto cannot compute it.
    static func hmac(_ bytes: [UInt8], key: [UInt8]) -> [UInt8]? {
        var code = [UInt8](repeating: 0, count: 32)
        let isDone = withPointer(key) { key_ in
            withPointer(bytes) { hw_crypto_hmac(key_, key.count, $0, bytes.count, &code) }
        }
        return isDone ? code : nil
    }

    /// Returns true if a number, its greatest byte first, is probably prime.
    static func isPrime(_ number: [UInt8]) -> Bool { withPointer(number) { hw_crypto_is_prime($0, number.count) } }

    /// A public key of libcrypto.
    final class PublicKey: @unchecked Sendable {
        // Sendable because libcrypto permits any number of threads to verify with one key, and nothing changes it.
        private let key: OpaquePointer

        /// Reads a key from its SubjectPublicKeyInfo in DER; nil if it is not valid.
        init?(info: [UInt8]) {
            guard let key = LibCrypto.withPointer(info, { hw_crypto_key($0, info.count) }) else { return nil }
            self.key = key
        }

        deinit {
            hw_crypto_key_end(key)
        }

        /// Returns true if `signature` is the key's signature of `content`, or of its SHA-256.
        func verifies(_ signature: [UInt8], of content: [UInt8], hashed: Bool) -> Bool {
            LibCrypto.withPointer(signature) { first in
                LibCrypto.withPointer(content) {
                    hw_crypto_verifies(key, hashed, first, signature.count, $0, content.count)
                }
            }
        }
    }

    /// Calls `body` with a pointer that is valid also for no bytes.
    private static func withPointer<Result>(_ bytes: [UInt8], _ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        bytes.withUnsafeBufferPointer { buffer in
            if let first = buffer.baseAddress { return body(first) }
            return [0].withUnsafeBufferPointer { body($0.baseAddress!) }
        }
    }
}
