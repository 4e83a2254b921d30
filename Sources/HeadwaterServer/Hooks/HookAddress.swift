import JSON
import Outgoing
import StateStore

/// The receiver of a hook: its URL, the secret that it shares with the server, and its owner.
struct HookAddress: Sendable {
    let url: WebAddress
    let secret: HookSecret
    /// The caller that put the hook, with its claims then. A hook from before they were kept has a caller without claims.
    let owner: Caller

    /// Returns the URL, the secret and the owner as the journal keeps them: encrypted, together with the hook's name, so
    /// that they belong to no other hook.
    static func sealed(
        _ url: WebAddress, _ secret: String, of hook: HookName, by owner: Caller, _ seal: Seal
    ) -> String {
        let parts: [JSON] = [
            .string(hook.key), .string(url.text), .string(secret), .string(owner.subject ?? ""), owner.claims,
        ]
        return Base64URL.text(seal.sealed(JSON.array(parts).written))
    }

    /// The receiver of a hook that a document declares; nil without its secret. Its owner is the server: an administrator put
    /// the document.
    init?(of hook: StoredHook, _ secrets: [String: HookSecret]) {
        guard let url = hook.url.flatMap({ try? WebAddress($0) }), let secret = hook.secret.flatMap({ secrets[$0] })
        else { return nil }
        (self.url, self.secret, owner) = (url, secret, .nobody)
    }

    /// Reads what `sealed` returned; nil for a text of another hook or of another journal.
    init?(_ text: String, of hook: HookName, _ seal: Seal) {
        guard let bytes = Base64URL.bytes(text).flatMap(seal.opened), let json = try? JSON(parsing: bytes),
            case .array(let parts) = json, parts.count == 3 || parts.count == 5, parts[0] == .string(hook.key),
            case .string(let address) = parts[1], case .string(let words) = parts[2],
            let url = try? WebAddress(address), let secret = HookSecret(words)
        else { return nil }
        self.url = url
        self.secret = secret
        guard parts.count == 5, case .string(let subject) = parts[3] else {
            owner = .nobody
            return
        }
        owner = Caller(subject, claims: parts[4])
    }
}
