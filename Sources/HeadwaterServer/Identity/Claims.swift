import JSON
import StateStore

/// The claims of a token (RFC 7519, section 4) whose signature was verified.
struct Claims: Sendable {
    /// The difference between clocks that is tolerated.
    static let leewaySeconds = 30.0
    /// The greatest length of a subject in bytes.
    static let subjectBytesLimit = 255

    /// The subject (`sub`), or "".
    let subject: String
    /// The first moment at which the token is not good, the leeway included.
    let end: Timestamp
    /// All claims.
    let members: JSON.Object

    /// The demands on the claims of all tokens.
    struct Demands: Sendable {
        var issuer: String?
        var audiences: [String] = []
    }

    /// Checks the claims of a token at a time.
    init(_ members: JSON.Object, _ demands: Demands, at now: Timestamp) throws(TokenFault) {
        let seconds = Double(now.microseconds) / 1e6
        guard let expiry = try Self.seconds("exp", members) else { throw TokenFault("the token has no exp") }
        let end = (expiry + Self.leewaySeconds) * 1e6
        guard seconds < expiry + Self.leewaySeconds else { throw TokenFault("the token has expired") }
        if let start = try Self.seconds("nbf", members), seconds < start - Self.leewaySeconds {
            throw TokenFault("the token is not good yet")
        }
        _ = try Self.seconds("iat", members)
        _ = try Self.text("jti", members)
        let issuer = try Self.text("iss", members)
        if let demanded = demands.issuer, issuer != demanded { throw TokenFault("the token is of another issuer") }
        let audiences = try Self.audiences(members)
        // A token that names its audiences is not for anybody else (RFC 7519, section 4.1.3).
        if let audiences, !audiences.contains(where: demands.audiences.contains) {
            throw TokenFault("the token is for another audience")
        }
        guard audiences != nil || demands.audiences.isEmpty else { throw TokenFault("the token has no aud") }
        subject = try Self.text("sub", members) ?? ""
        guard subject.utf8.count <= Self.subjectBytesLimit else {
            throw TokenFault("the token's sub has more than \(Self.subjectBytesLimit) bytes")
        }
        self.end = Timestamp(microseconds: Int64(min(end, Double(Int64.max / 2))))
        self.members = members
    }

    private static func seconds(_ name: String, _ members: JSON.Object) throws(TokenFault) -> Double? {
        guard let claim = members[name] else { return nil }
        guard case .number(let number) = claim, number.double.isFinite else {
            throw TokenFault("the token's \(name) is not a number")
        }
        return number.double
    }

    private static func text(_ name: String, _ members: JSON.Object) throws(TokenFault) -> String? {
        guard let claim = members[name] else { return nil }
        guard case .string(let text) = claim else { throw TokenFault("the token's \(name) is not a string") }
        return text
    }

    /// Returns the audiences: one string, or an array of strings.
    private static func audiences(_ members: JSON.Object) throws(TokenFault) -> [String]? {
        switch members["aud"] {
        case nil: return nil
        case .string(let text)?: return [text]
        case .array(let elements)?:
            var texts: [String] = []
            for element in elements {
                guard case .string(let text) = element else { throw TokenFault("the token's aud has no string") }
                texts.append(text)
            }
            return texts
        default: throw TokenFault("the token's aud is not a string")
        }
    }
}
