import Ground
import HTTP
import Sockets
import StateStore

/// The valid tokens and the permitted origins. All loops share one object.
final class AccessControl: Sendable {
    private let accounts: Lock<[Account]>
    /// The account of every request if the server needs no token.
    private let anonymous = Account(Token(digest: [], right: .admin, patterns: ["*"]))
    /// True if every request needs a token.
    let isClosed: Bool
    /// Permitted origins in addition to the server's own.
    let origins: Set<String>
    /// Actions per second and account; nil for no limit.
    let rate: Int?
    /// Open streams per account.
    let streamsLimit: Int

    init(tokens: [Token], isClosed: Bool, origins: Set<String>, rate: Int?, streamsLimit: Int) {
        accounts = Lock(tokens.map { Account($0) })
        self.isClosed = isClosed
        self.origins = origins
        self.rate = rate
        self.streamsLimit = streamsLimit
    }

    /// Replaces the tokens. An account whose token is unchanged stays; the others are withdrawn.
    func replace(tokens: [Token]) {
        accounts.with { accounts in
            let old = accounts
            accounts = tokens.map { token in
                old.first {
                    $0.token.isDigest(token.digest) && $0.token.right == token.right
                        && $0.token.patterns == token.patterns
                }
                    ?? Account(token)
            }
            for account in old where !accounts.contains(where: { $0 === account }) { account.withdraw() }
        }
    }

    /// Returns the account of a token, or nil if the token is missing or unknown. A server without tokens has one
    /// account for all requests.
    func account(of token: String?) -> Account? {
        guard isClosed else { return anonymous }
        guard let token else { return nil }
        let digest = SHA256.digest(token.utf8)
        // The search compares all digests, so that its duration does not depend on the match.
        return accounts.with { accounts in accounts.reduce(Account?.none) { $1.token.isDigest(digest) ? $1 : $0 } }
    }

    /// Returns true if a page of `origin` may send requests to the server named `authority`.
    func allows(origin: String, authority: String?) -> Bool {
        if origins.contains(origin) || origins.contains("*") { return true }
        guard let authority else { return false }
        let own = authority.lowercased()
        return origin.lowercased() == "http://\(own)" || origin.lowercased() == "https://\(own)"
    }
}
