import Ground
import JSON
import StateStore

/// The account of a token: its rights, its subject, and how long it is good.
final class Account: Sendable {
    /// The class of an account, by which metrics count.
    enum Kind: Int, CaseIterable {
        /// The account of all requests to a server that needs no token.
        case open
        /// A token of the file, or of the environment.
        case token
        /// A JSON Web Token.
        case jwt
        /// No token, at a server that has tokens.
        case anonymous
    }

    /// The proof behind an account, from which a ticket is made.
    enum Proof: Sendable {
        case none
        case token
        /// The claims, and the thumbprint of the key that signed them.
        case jwt(JSON.Object, thumbprint: [UInt8])
        /// No token, from a network.
        case anonymous(network: String)
    }

    let token: Token
    let proof: Proof
    /// The use of its subject.
    let use: SubjectUse
    /// Ends with the token, or with the key that signed it.
    let validity: Validity
    /// The moment from which the token is not good any more.
    let end: Timestamp
    /// The text after each of its idempotency keys. No key of a client contains a space.
    let keySuffix: String
    /// The caller of its actions and reads, with its claims and rights.
    let reader: Reader

    /// The end of a token that does not expire.
    static let never = Timestamp(microseconds: .max)

    init(
        _ token: Token, _ proof: Proof = .token, use: SubjectUse = SubjectUse(), validity: Validity = Validity(),
        end: Timestamp = never
    ) {
        self.token = token
        self.proof = proof
        self.use = use
        self.validity = validity
        self.end = end
        reader = Reader(Self.caller(token, proof), token.permissions)
        keySuffix = Self.keySuffix(token.subject, proof)
    }

    private static func keySuffix(_ subject: String, _ proof: Proof) -> String {
        func digest(_ text: String) -> String { Base64URL.text(Array(SHA256.digest(text.utf8).prefix(16))) }
        // The digest of a subject has 22 characters, so it is never that of a network.
        if case .anonymous(let network) = proof { return " ~" + digest(network) }
        return subject.isEmpty ? "" : " " + digest(subject)
    }

    private static func caller(_ token: Token, _ proof: Proof) -> Caller {
        switch proof {
        case .none, .anonymous: return .nobody
        case .jwt(let claims, _): return Caller(token.subject, claims: .object(claims))
        case .token:
            let rights = token.permissions.anywhere.names
            return Caller(
                token.subject,
                claims: ["sub": .string(token.subject), "rights": .array(rights.map { .string($0) })])
        }
    }

    /// The caller of its actions, with its claims.
    var caller: Caller { reader.caller }

    /// The subject of the holder, or "".
    var subject: String { token.subject }

    var kind: Kind {
        switch proof {
        case .none: .open
        case .token: .token
        case .jwt: .jwt
        case .anonymous: .anonymous
        }
    }

    /// True after the token was withdrawn.
    var isWithdrawn: Bool { validity.isWithdrawn }

    /// True if the token ends at some time.
    @inline(__always)
    var expires: Bool { end.microseconds != .max }

    /// Returns true if the token is good at a time, which is asked for only if the token ends.
    @inline(__always)
    func isGood(at now: @autoclosure () -> Timestamp) -> Bool { !isWithdrawn && (!expires || now() < end) }

    /// The claims that a token may have otherwise than the one before it.
    private static let claimsOfOneToken = ["exp", "iat", "nbf", "jti"]

    /// Returns true if an account has the same subject and the same claims, but for the times and the name of its token.
    func isAlike(_ other: Account) -> Bool {
        guard kind == other.kind, subject == other.subject else { return false }
        guard case .object(var own) = caller.claims, case .object(var others) = other.caller.claims else {
            return false
        }
        for name in Self.claimsOfOneToken {
            own[name] = nil
            others[name] = nil
        }
        return JSON.object(own) == .object(others) && token.permissions.anywhere == other.token.permissions.anywhere
    }

    func withdraw() {
        validity.withdraw()
    }
}
