import Platform
import Outgoing
import StateStore

/// The callers without a token to a server that has tokens: their right, and an account for each network that they come
/// from, to which their limits and their idempotency keys belong.
final class AnonymousCallers: Sendable {
    /// The accounts that are remembered at most.
    static let accountsLimit = 10_000

    private struct State {
        var accounts: [String: Account] = [:]
        /// The uses of accounts, as long as an account has them.
        var uses: [String: WeakUse] = [:]
    }

    private struct WeakUse {
        weak var use: SubjectUse?
    }

    /// The right, and the spaces.
    let permissions: Permissions
    /// The addresses whose `X-Forwarded-For` counts.
    private let proxies: Set<InternetAddress>
    private let state = Lock(State())

    init(_ permissions: Permissions, proxies: Set<InternetAddress>) {
        (self.permissions, self.proxies) = (permissions, proxies)
    }

    /// Parses `RIGHT, PATTERN…`, where the right is `read` or `act`.
    static func permissions(_ text: String) throws(CommandFault) -> Permissions {
        do throws(PermissionFault) {
            let permission = try Grant.permission(text[...])
            guard [Rights.read, Rights.act].contains(permission.rights) else {
                throw PermissionFault("anonymous callers have read or act")
            }
            return Permissions([permission])
        } catch {
            throw CommandFault("--anonymous takes 'read, SPACES' or 'act, SPACES', not \"\(text)\": \(error)")
        }
    }

    /// Returns the account of a request by its peer and, from a proxy, the last address of `X-Forwarded-For`.
    func account(peer: String?, forwardedFor: String?) -> Account {
        account(of: Self.network(peer: peer, forwardedFor: forwardedFor, proxies))
    }

    private static func network(peer: String?, forwardedFor: String?, _ proxies: Set<InternetAddress>) -> String {
        guard let peer, let own = InternetAddress(String(peer.prefix { $0 != "%" })) else { return "" }
        guard proxies.contains(where: { $0.isSame(as: own) }),
            let last = forwardedFor?.split(separator: ",").last
        else { return own.subscriberNetwork }
        return InternetAddress(String(last.filter { !$0.isWhitespace }))?.subscriberNetwork ?? own.subscriberNetwork
    }

    private func account(of network: String) -> Account {
        state.with { state in
            if let account = state.accounts[network] { return account }
            let use = state.uses[network]?.use ?? SubjectUse()
            let account = Account(
                Token(digest: [], subject: "", permissions), .anonymous(network: network), use: use)
            if state.accounts.count >= Self.accountsLimit {
                state.accounts = [:]
                state.uses = state.uses.filter { $0.value.use != nil }
            }
            state.accounts[network] = account
            state.uses[network] = WeakUse(use: use)
            return account
        }
    }
}
