import Glibc

/// The signatures of the system's libcrypto.
final class Signer: @unchecked Sendable {
    // Sendable because nothing changes after the functions were found.
    struct NotFound: Error {}

    static let shared = Result { try Signer() }

    private typealias ReadKey =
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int
        ) -> OpaquePointer?
    private typealias Begin =
        @convention(c) (
            OpaquePointer, UnsafeMutableRawPointer?, OpaquePointer?, OpaquePointer?, OpaquePointer
        ) -> Int32
    private typealias Sign =
        @convention(c) (
            OpaquePointer, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>, UnsafePointer<UInt8>, Int
        ) -> Int32
    private typealias Code =
        @convention(c) (
            OpaquePointer?, UnsafePointer<UInt8>, Int32, UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UInt8>,
            UnsafeMutablePointer<UInt32>
        ) -> UnsafeMutablePointer<UInt8>?

    private let readKey: ReadKey
    private let make: @convention(c) () -> OpaquePointer?
    private let end: @convention(c) (OpaquePointer?) -> Void
    private let endKey: @convention(c) (OpaquePointer?) -> Void
    private let hash: @convention(c) () -> OpaquePointer?
    private let begin: Begin
    private let sign: Sign
    private let code: Code

    private init() throws {
        guard let library = dlopen("libcrypto.so.3", RTLD_NOW) ?? dlopen("libcrypto.so", RTLD_NOW) else {
            throw NotFound()
        }
        func find(_ name: String) throws -> UnsafeMutableRawPointer {
            guard let found = dlsym(library, name) else { throw NotFound() }
            return found
        }
        readKey = unsafeBitCast(try find("d2i_AutoPrivateKey"), to: ReadKey.self)
        make = unsafeBitCast(try find("EVP_MD_CTX_new"), to: (@convention(c) () -> OpaquePointer?).self)
        end = unsafeBitCast(try find("EVP_MD_CTX_free"), to: (@convention(c) (OpaquePointer?) -> Void).self)
        endKey = unsafeBitCast(try find("EVP_PKEY_free"), to: (@convention(c) (OpaquePointer?) -> Void).self)
        hash = unsafeBitCast(try find("EVP_sha256"), to: (@convention(c) () -> OpaquePointer?).self)
        begin = unsafeBitCast(try find("EVP_DigestSignInit"), to: Begin.self)
        sign = unsafeBitCast(try find("EVP_DigestSign"), to: Sign.self)
        code = unsafeBitCast(try find("HMAC"), to: Code.self)
    }

    /// Returns the signature of some bytes by a private key in DER.
    func sign(_ bytes: [UInt8], with key: [UInt8], isHashed: Bool) throws -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: 1_024)
        var count = signature.count
        try key.withUnsafeBufferPointer { buffer in
            var place = buffer.baseAddress
            guard let key = readKey(nil, &place, buffer.count), let context = make() else { throw NotFound() }
            defer {
                end(context)
                endKey(key)
            }
            guard begin(context, nil, isHashed ? hash() : nil, nil, key) == 1,
                sign(context, &signature, &count, bytes, bytes.count) == 1
            else { throw NotFound() }
        }
        return Array(signature[..<count])
    }

    /// Returns the HMAC-SHA-256 of some bytes.
    func code(_ bytes: [UInt8], _ key: [UInt8]) throws -> [UInt8] {
        var result = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 32
        let key = key.isEmpty ? [0] : key
        guard code(hash(), key, Int32(key.count), bytes, bytes.count, &result, &count) != nil else { throw NotFound() }
        return result
    }
}
