import JSON
import Outgoing
import StateStore

/// The receiver of a hook: its URL and the secret that it shares with the server.
struct HookAddress: Sendable {
    let url: WebAddress
    let secret: HookSecret

    /// Returns the URL and the secret as the journal keeps them: encrypted, together with the hook's name, so that they
    /// belong to no other hook.
    static func sealed(_ url: WebAddress, _ secret: String, of hook: HookName, _ seal: Seal) -> String {
        Base64URL.text(seal.sealed(JSON.array([.string(hook.key), .string(url.text), .string(secret)]).written))
    }

    /// Reads what `sealed` returned; nil for a text of another hook or of another journal.
    init?(_ text: String, of hook: HookName, _ seal: Seal) {
        guard let bytes = Base64URL.bytes(text).flatMap(seal.opened), let json = try? JSON(parsing: bytes),
            case .array(let parts) = json, parts.count == 3, parts[0] == .string(hook.key),
            case .string(let address) = parts[1], case .string(let words) = parts[2],
            let url = try? WebAddress(address), let secret = HookSecret(words)
        else { return nil }
        self.url = url
        self.secret = secret
    }
}
