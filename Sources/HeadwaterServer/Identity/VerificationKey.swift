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
