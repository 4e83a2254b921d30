import Ground
import JSON
import StateStore

/// A key that verifies signatures: a public key of a JSON Web Key Set (RFC 7517), or a secret that the issuer shares.
final class VerificationKey: Sendable {
    /// The name of the key (`kid`).
    let id: String?
    let algorithm: SignatureAlgorithm
    /// The SHA-256 of the algorithm and the key. It names the key where its `kid` could be reused.
    let thumbprint: [UInt8]
    /// Ends once the key is no longer in the set.
    let validity = Validity()
    private let material: Material

    private enum Material: Sendable {
        case publicKey(LibCrypto.PublicKey)
        case secret([UInt8])
    }

    /// The most bits of an RSA modulus. The verification of longer ones takes too long.
    private static let modulusBitsLimit = 8_192

    /// A secret for HS256.
    init(secret: [UInt8]) {
        id = nil
        algorithm = .hs256
        material = .secret(secret)
        thumbprint = SHA256.digest(Array("HS256\0".utf8) + secret)
    }

    /// Reads a member of a key set; nil if it is not a public key for signatures of a known algorithm. Throws if it is
    /// one, and weak; the fault continues a sentence about the key.
    init?(_ json: JSON) throws(TokenFault) {
        guard json["use"] == nil || json["use"] == .string("sig"), Self.permitsVerifying(json["key_ops"]),
            let algorithm = Self.algorithm(json), json["alg"] == nil || json["alg"] == .string(algorithm.rawValue)
        else { return nil }
        switch json["kid"] {
        case nil: id = nil
        case .string(let text)?: id = text
        default: return nil
        }
        guard let info = try Self.info(json, algorithm), let key = LibCrypto.PublicKey(info: info) else { return nil }
        self.algorithm = algorithm
        material = .publicKey(key)
        thumbprint = SHA256.digest(Array("\(algorithm.rawValue)\0".utf8) + info)
    }

    /// Returns true if the signature of a token is of this key. Precondition: the algorithm is the key's.
    func verifies(_ token: JSONWebToken) -> Bool {
        switch material {
        case .secret(let secret):
            guard token.algorithm == .hs256, let code = LibCrypto.hmac(token.signed, key: secret) else { return false }
            return ConstantTime.areEqual(code, token.signature)
        case .publicKey(let key):
            guard token.algorithm == algorithm else { return false }
            switch algorithm {
            case .hs256: return false
            case .rs256: return key.verifies(token.signature, of: token.signed, hashed: true)
            case .edDSA:
                return token.signature.count == 64 && key.verifies(token.signature, of: token.signed, hashed: false)
            case .es256:
                // The signature is the two numbers in 32 bytes each, not DER (RFC 7518, section 3.4).
                guard token.signature.count == 64 else { return false }
                let signature = PublicKeyInfo.signature(token.signature[..<32], token.signature[32...])
                return key.verifies(signature, of: token.signed, hashed: true)
            }
        }
    }

    private static func permitsVerifying(_ operations: JSON?) -> Bool {
        guard let operations else { return true }
        guard case .array(let names) = operations else { return false }
        return names.contains(.string("verify"))
    }

    /// Returns the algorithm of a key by its type and its curve.
    private static func algorithm(_ json: JSON) -> SignatureAlgorithm? {
        switch (json["kty"], json["crv"]) {
        case (.string("RSA")?, _): .rs256
        case (.string("EC")?, .string("P-256")?): .es256
        case (.string("OKP")?, .string("Ed25519")?): .edDSA
        default: nil
        }
    }

    /// Returns the SubjectPublicKeyInfo of a key; nil if it lacks a number.
    private static func info(_ json: JSON, _ algorithm: SignatureAlgorithm) throws(TokenFault) -> [UInt8]? {
        switch algorithm {
        case .rs256:
            guard let modulus = bytes(json["n"]), let exponent = bytes(json["e"]), modulus.first ?? 0 != 0,
                exponent.first ?? 0 != 0, exponent.count <= 5, (exponent.last ?? 0) & 1 == 1,
                RSAWeakness.bits(of: modulus) <= modulusBitsLimit
            else { return nil }
            if let reason = RSAWeakness.reason(modulus: modulus, exponent: exponent) { throw TokenFault(reason) }
            return PublicKeyInfo.rsa(modulus: modulus, exponent: exponent)
        case .es256:
            guard let x = bytes(json["x"]), let y = bytes(json["y"]), x.count == 32, y.count == 32 else { return nil }
            return PublicKeyInfo.p256(x: x, y: y)
        case .edDSA:
            guard let x = bytes(json["x"]), x.count == 32 else { return nil }
            if let reason = Ed25519Weakness.reason(x) { throw TokenFault(reason) }
            return PublicKeyInfo.ed25519(x)
        case .hs256: return nil
        }
    }

    private static func bytes(_ json: JSON?) -> [UInt8]? {
        guard case .string(let text)? = json else { return nil }
        return Base64URL.bytes(text)
    }
}

/// The known weaknesses of keys of Ed25519, by which a key is refused when it is loaded.
enum Ed25519Weakness {
    /// The prime of the field, 2²⁵⁵ - 19, its least byte first.
    private static let prime: [UInt8] = [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
    /// The second coordinates of the points whose order divides 8, their least byte first: of the orders 1, 2 and 4, and
    /// of the four points of order 8, which have two.
    private static let small: [[UInt8]] = [
        [1] + [UInt8](repeating: 0, count: 31), [0xEC] + prime.dropFirst(), [UInt8](repeating: 0, count: 32),
        [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
            0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
        ],
        [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
            0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
        ],
    ]

    /// Returns the reason why a key is weak; nil if none is known. Precondition: the key has 32 bytes.
    static func reason(_ key: [UInt8]) -> String? {
        // The highest bit is the sign of the first coordinate.
        var coordinate = key
        coordinate[31] &= 0x7F
        guard isLess(coordinate, prime) else { return "is not in its one form: its number is not below 2^255 - 19" }
        return small.contains(coordinate) ? "has a small order, so that anybody can sign" : nil
    }

    /// Returns true if a number is less than another one of as many bytes.
    private static func isLess(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.reversed().lexicographicallyPrecedes(other.reversed())
    }
}

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

/// The known weaknesses of RSA keys, by which a key is refused when it is loaded.
enum RSAWeakness {
    /// The fewest bits of a modulus (RFC 7518, section 3.3).
    static let fewestBits = 2_048
    /// The primes by which the fingerprint of ROCA divides a modulus.
    private static let primes = (3...167).filter { number in (2..<number).allSatisfy { number % $0 != 0 } }
    /// The number whose powers the faulty library made its primes of.
    private static let generator = 65_537

    /// Returns the reason why a key is weak; nil if none is known. Precondition: the modulus has no leading zero.
    static func reason(modulus: [UInt8], exponent: [UInt8]) -> String? {
        let bits = bits(of: modulus)
        if bits < fewestBits { return "has \(bits) bits, and RS256 needs \(fewestBits) or more" }
        if exponent == [1] { return "has the exponent 1, so that anybody can sign" }
        if (modulus.last ?? 0) & 1 == 0 { return "has an even modulus, so that its private key can be computed" }
        if LibCrypto.isPrime(modulus) { return "has a prime modulus, so that its private key can be computed" }
        if hasFingerprintOfROCA(modulus) {
            return "has the fault ROCA (CVE-2017-15361), so that its private key can be computed"
        }
        return nil
    }

    /// Returns the length of a number without a leading zero.
    static func bits(of number: [UInt8]) -> Int { number.count * 8 - (number.first?.leadingZeroBitCount ?? 0) }

    /// Returns true if a modulus is a power of 65537 modulo each of the primes, as one of the faulty library is
    /// (CVE-2017-15361). Of other moduli one in 2.4 · 10⁸ is.
    static func hasFingerprintOfROCA(_ modulus: [UInt8]) -> Bool {
        primes.allSatisfy { prime in
            let rest = modulus.reduce(0) { ($0 << 8 | Int($1)) % prime }
            var power = 1
            repeat {
                if power == rest { return true }
                power = power * generator % prime
            } while power != 1
            return false
        }
    }
}
