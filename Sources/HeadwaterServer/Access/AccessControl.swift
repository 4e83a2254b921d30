import Ground
import Platform
import JSON
import StateStore

/// The valid tokens, the permitted origins and the limits. All loops share one object.
final class AccessControl: Sendable {
    /// The limits of each subject.
    struct Limits: Sendable {
        /// Actions per second; nil for no limit.
        var rate: Int?
        /// Actions per minute; nil for no limit.
        var minuteRate: Int?
        /// Bytes of bodies per second; nil for no limit.
        var byteRate: Int?
        /// Open streams.
        var streams = 1_000
        /// Running trials.
        var trials = 4
    }

    /// The outcome of the search for an account.
    enum Admission {
        case account(Account)
        case refused(TokenFault)
        /// The keys of the issuer are being fetched: `whenReady` says when to ask again.
        case pending
        /// The keys of the issuer could not be fetched yet.
        case unavailable
    }

    private let memory: Lock<AccountMemory>
    /// The account of every request if the server needs no token.
    private let anonymous = Account(Token(digest: [], rights: .admin), .none)
    /// True if every request needs a token.
    let isClosed: Bool
    /// Permitted origins in addition to the server's own.
    let origins: Set<String>
    let limits: Limits
    /// The verifier of JSON Web Tokens; nil if the server takes none.
    let verifier: TokenVerifier?
    private let grants: [Grant]
    /// The callers without a token; nil if the server refuses them.
    let anonymousCallers: AnonymousCallers?
    /// The time of day.
    let clock: @Sendable () -> Timestamp

    init(
        tokens: [Token], isClosed: Bool, origins: Set<String>, _ limits: Limits, verifier: TokenVerifier?,
        grants: [Grant], anonymousCallers: AnonymousCallers? = nil, clock: @escaping @Sendable () -> Timestamp
    ) {
        var memory = AccountMemory()
        memory.replace(tokens: tokens)
        self.memory = Lock(memory)
        self.isClosed = isClosed
        self.origins = origins
        self.limits = limits
        self.verifier = verifier
        self.grants = grants
        self.anonymousCallers = anonymousCallers
        self.clock = clock
    }

    /// Replaces the tokens. An account whose token is unchanged stays; the others are withdrawn.
    func replace(tokens: [Token]) {
        memory.with { $0.replace(tokens: tokens) }
    }

    /// The subjects whose tokens the server knows, and those that have a stream.
    var subjects: SubjectList {
        guard isClosed else {
            var list = SubjectList()
            list.add(anonymous)
            return list
        }
        let memory = memory.with { $0 }
        return memory.subjects { $0.isGood(at: clock()) }
    }

    // MARK: Tokens

    /// Returns the account of a token. A server without tokens has one account for all requests.
    func admit(_ text: String?) -> Admission {
        guard isClosed else { return .account(anonymous) }
        guard let text else {
            return .refused(
                TokenFault("send a token: Authorization: Bearer …, or ?ticket=… where no header can be set"))
        }
        guard let verifier, JSONWebToken.isLike(text) else {
            let digest = SHA256.digest(text.utf8)
            return memory.with { $0.known(digest) }.map { .account($0) }
                ?? .refused(TokenFault("this server does not know the token"))
        }
        let bytes = Array(text.utf8)
        guard bytes.count <= JSONWebToken.bytesLimit else {
            return .refused(TokenFault("the token has more than \(JSONWebToken.bytesLimit) bytes"))
        }
        let digest = LibCrypto.sha256(bytes) ?? SHA256.digest(bytes)
        if let found = memory.with({ $0.known(digest) ?? $0.verified(digest) }), found.isGood(at: clock()) {
            return .account(found)
        }
        return admission(verifier.verify(text, at: clock()), digest)
    }

    private func admission(_ verdict: TokenVerifier.Verdict, _ digest: [UInt8]) -> Admission {
        switch verdict {
        case .refused(let fault): .refused(fault)
        case .pending: .pending
        case .unavailable: .unavailable
        case .good(let claims, let key): .account(account(of: claims, key, digest))
        }
    }

    /// True if grants give claims their rights.
    var hasGrants: Bool { !grants.isEmpty }

    /// The permissions that the grants give some claims.
    func permissions(of claims: JSON) -> Permissions {
        Permissions(grants.filter { $0.holds(for: claims) }.map(\.permission))
    }

    /// Makes the account of verified claims, and remembers it.
    private func account(of claims: Claims, _ key: VerificationKey, _ digest: [UInt8]) -> Account {
        let token = JSON.object(claims.members)
        let permissions = permissions(of: token)
        return memory.with { memory in
            let account = Account(
                Token(digest: digest, subject: claims.subject, permissions),
                .jwt(claims.members, thumbprint: key.thumbprint),
                use: memory.shared(claims.subject), validity: key.validity, end: claims.end)
            memory.remember(account) { $0.isGood(at: clock()) }
            return account
        }
    }

    /// Calls `body` on any thread once a request whose admission is pending can be asked again.
    func whenReady(_ body: @escaping @Sendable () -> Void) {
        guard let keys = verifier?.keys else { return body() }
        keys.whenFetched(body)
    }

    // MARK: Tickets

    /// Makes a ticket for an account: for a target, or for all.
    func ticket(for account: Account, target: [UInt8]?) -> Ticket {
        let proof: Ticket.Proof =
            switch account.proof {
            case .none, .anonymous: .none
            case .token: .token(account.token.digest)
            case .jwt(let claims, let thumbprint):
                .jwt(digest: account.token.digest, thumbprint: thumbprint, claims: .object(claims))
            }
        return Ticket(made: clock(), target: target, proof: proof)
    }

    /// Returns the account of a ticket for the request of a target; `goesOn` is true for a stream that goes on.
    func admit(
        _ ticket: Ticket?, target: () -> [UInt8], goesOn: Bool, anonymous: () -> Account? = { nil }
    ) -> Admission {
        guard isClosed else { return .account(self.anonymous) }
        let now = clock()
        guard let ticket else { return .refused(TokenFault("this server has not made the ticket")) }
        guard ticket.isGood(at: now, goesOn: goesOn) else {
            return .refused(TokenFault("the ticket has expired: POST /v1/tickets makes another"))
        }
        if let bound = ticket.target, !ConstantTime.areEqual(bound, target()) {
            return .refused(TokenFault("the ticket is for another path or query"))
        }
        switch ticket.proof {
        case .none:
            return anonymous().map { .account($0) } ?? .refused(TokenFault("the ticket was made without a token"))
        case .token(let digest):
            return memory.with { $0.known(digest) }.map { .account($0) }
                ?? .refused(TokenFault("the token of the ticket was withdrawn"))
        case .jwt(let digest, let thumbprint, let claims):
            if let found = memory.with({ $0.verified(digest) }), found.isGood(at: clock()) { return .account(found) }
            guard let verifier, case .object(let members) = claims else {
                return .refused(TokenFault("this server takes no JSON Web Tokens"))
            }
            return admission(verifier.verify(members, thumbprint: thumbprint, at: now), digest)
        }
    }

    // MARK: Origins

    /// Returns true if a page of `origin` may send requests to the server named `authority`.
    func allows(origin: String, authority: String?) -> Bool {
        if origins.contains(origin) || origins.contains("*") { return true }
        guard let authority else { return false }
        let own = authority.lowercased()
        return origin.lowercased() == "http://\(own)" || origin.lowercased() == "https://\(own)"
    }
}
