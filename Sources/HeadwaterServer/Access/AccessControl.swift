import HTTP
import Sockets
import StateStore

/// Who may do what: the tokens that are good just now, and the origins whose pages may ask. It is the same for all loops.
final class AccessControl: Sendable {
    private let accounts: Lock<[Account]>
    /// Whoever asks, where no tokens are needed.
    private let everybody = Account(Token(digest: [], right: .admin, patterns: ["*"]))
    /// Whether a token is needed.
    let isClosed: Bool
    /// Origins besides the server's own.
    let origins: Set<String>
    /// How many actions a second an account may perform; nil is no limit.
    let rate: Int?
    /// How many streams an account may have open at once.
    let streamsLimit: Int

    init(tokens: [Token], isClosed: Bool, origins: Set<String>, rate: Int?, streamsLimit: Int) {
        accounts = Lock(tokens.map { Account($0) })
        self.isClosed = isClosed
        self.origins = origins
        self.rate = rate
        self.streamsLimit = streamsLimit
    }

    /// Takes other tokens from now on. Accounts whose token stays as it was stay.
    func replace(tokens: [Token]) {
        accounts.with { accounts in
            let old = accounts
            accounts = tokens.map { token in
                old.first { $0.token.isDigest(token.digest) && $0.token.right == token.right && $0.token.patterns == token.patterns }
                    ?? Account(token)
            }
            for account in old where !accounts.contains(where: { $0 === account }) { account.withdraw() }
        }
    }

    /// Whose a token is; nil where it is nobody's. Without a token it is everybody's, where none is needed.
    func account(of token: String?) -> Account? {
        guard isClosed else { return everybody }
        guard let token else { return nil }
        let digest = SHA256.digest(token.utf8)
        // All are compared, so that it takes as long whichever it is.
        return accounts.with { accounts in accounts.reduce(Account?.none) { $1.token.isDigest(digest) ? $1 : $0 } }
    }

    /// Whether pages of an origin may ask a server that is called `authority`.
    func allows(origin: String, authority: String?) -> Bool {
        if origins.contains(origin) || origins.contains("*") { return true }
        guard let authority else { return false }
        let own = authority.lowercased()
        return origin.lowercased() == "http://\(own)" || origin.lowercased() == "https://\(own)"
    }
}
