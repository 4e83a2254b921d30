import JSON
import StateStore

/// The parts of a JSON Web Token in its compact form (RFC 7515, section 7.1). None of them is verified yet.
struct JSONWebToken {
    /// The greatest length of a token in bytes.
    static let bytesLimit = 8_192
    /// The greatest depth of its header.
    private static let headerDepth = 8
    /// The greatest depth of its claims.
    private static let claimsDepth = 32
    /// The members of a header that bring or name a key, or demand an extension (RFC 7515, section 4.1). A key comes
    /// from the configured set only.
    private static let refusedMembers = ["jwk", "jku", "x5c", "x5u", "crit", "b64", "zip"]
    /// The values of `typ`, in lower case.
    private static let types: Set = ["jwt", "at+jwt", "application/jwt", "application/at+jwt"]

    let algorithm: SignatureAlgorithm
    /// The name of the key (`kid`).
    let keyID: String?
    /// The header and the payload in their original spelling, which the signature covers.
    let signed: [UInt8]
    let signature: [UInt8]
    private let payload: [UInt8]

    /// Returns true if a text has the form of a token: three parts.
    static func isLike(_ text: String) -> Bool { text.utf8.count { $0 == UInt8(ascii: ".") } == 2 }

    /// Reads the header, and splits the rest.
    init(_ text: String) throws(TokenFault) {
        guard text.utf8.count <= Self.bytesLimit else {
            throw TokenFault("the token has more than \(Self.bytesLimit) bytes")
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw TokenFault("a JSON Web Token has three parts") }
        var bytes: [[UInt8]] = []
        for part in parts {
            guard let decoded = Base64URL.bytes(part) else {
                throw TokenFault("a part of the token is not base64url without padding")
            }
            bytes.append(decoded)
        }
        let header = try Self.object(bytes[0], depth: Self.headerDepth, "header")
        for name in Self.refusedMembers where header[name] != nil {
            throw TokenFault("the token's header has \(name), which is not supported")
        }
        guard case .string(let name)? = header["alg"], let algorithm = SignatureAlgorithm(rawValue: name) else {
            throw TokenFault("the token's algorithm is none of RS256, ES256, EdDSA and HS256")
        }
        switch header["typ"] {
        case nil: break
        case .string(let type)? where Self.types.contains(type.lowercased()): break
        default: throw TokenFault("the token is of another type than JWT")
        }
        switch header["kid"] {
        case nil: keyID = nil
        case .string(let id)?: keyID = id
        default: throw TokenFault("the token's kid is not a string")
        }
        self.algorithm = algorithm
        signed = Array("\(parts[0]).\(parts[1])".utf8)
        (payload, signature) = (bytes[1], bytes[2])
    }

    /// The members of the payload. Precondition: the signature is verified.
    func claims() throws(TokenFault) -> JSON.Object {
        try Self.object(payload, depth: Self.claimsDepth, "payload")
    }

    private static func object(_ bytes: [UInt8], depth: Int, _ part: String) throws(TokenFault) -> JSON.Object {
        // The reader refuses duplicate names and invalid UTF-8.
        guard let json = try? JSON(parsing: bytes, depth: depth), case .object(let object) = json else {
            throw TokenFault("the token's \(part) is not a JSON object, or has a member twice")
        }
        return object
    }
}
