/// A signature algorithm of JSON Web Tokens that the server knows (RFC 7518, RFC 8037). All others are refused, `none`
/// among them.
enum SignatureAlgorithm: String, Sendable {
    case rs256 = "RS256"
    case es256 = "ES256"
    case edDSA = "EdDSA"
    /// With a secret that the issuer and the server share.
    case hs256 = "HS256"
}
