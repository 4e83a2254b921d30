import Ground
import Outgoing
import StateStore

/// The settings of JSON Web Tokens: whose the server takes, and which rights their claims give.
struct IdentitySettings {
    /// The file or the URL of the key set.
    var keySet: String?
    /// The file of the secret for HS256.
    var secretFile: String?
    var issuer: String?
    var audiences: [String] = []
    var grants: [Grant] = []
    /// The right of callers without a token, and its spaces; nil for none.
    var anonymous: Permissions?
    /// The proxies whose `X-Forwarded-For` tells anonymous callers apart.
    var proxies: Set<InternetAddress> = []

    /// The length of a secret in bytes that its standard demands (RFC 7518, section 3.2).
    static let secretBytes = 32

    /// True if the server takes JSON Web Tokens.
    var isUsed: Bool { keySet != nil || secretFile != nil }

    /// The callers without a token; nil if the server refuses them. Says so in the log.
    func anonymousCallers(_ log: Log) -> AnonymousCallers? {
        guard let anonymous, let permission = anonymous.all.first else { return nil }
        log.write(
            .warning, "callers without a token are let in",
            [
                ("right", "\(permission.rights)"),
                ("spaces", permission.patterns.map(\.text).joined(separator: " ")),
                ("proxies", proxies.map(\.description).sorted().joined(separator: " ")),
            ])
        return AnonymousCallers(anonymous, proxies: proxies)
    }

    /// True if the keys are fetched.
    private var isFetched: Bool { keySet.map { $0.hasPrefix("http://") || $0.hasPrefix("https://") } ?? false }

    /// Throws if the settings contradict each other, or name unreadable files.
    func check() throws(CommandFault) {
        if keySet != nil, issuer == nil || audiences.isEmpty {
            throw CommandFault("--jwks needs --issuer and --audience: a key set can serve tokens for other servers too")
        }
        if isUsed, let lack = LibCrypto.lack { throw CommandFault("JSON Web Tokens need libcrypto: \(lack)") }
        guard grants.count <= Grant.countLimit else {
            throw CommandFault("there can be at most \(Grant.countLimit) grants")
        }
        _ = try secret()
        if keySet != nil, !isFetched { _ = try keys() }
    }

    /// Returns the verifier of these settings; nil if the server takes no JSON Web Tokens. `time` is in nanoseconds and
    /// never goes back.
    func verifier(
        _ fetcher: any Fetcher, _ log: Log, time: @escaping @Sendable () -> Int64
    ) throws(CommandFault) -> TokenVerifier? {
        guard isUsed else { return nil }
        let secret = try secret()
        if grants.isEmpty { log.write(.warning, "without --grant no JSON Web Token has a right") }
        var source: KeySource?
        if let keySet {
            source = isFetched ? KeySource(keySet, fetcher, time: time) : KeySource(try keys())
        }
        return TokenVerifier(
            secret: secret.map { VerificationKey(secret: $0) }, keys: source,
            Claims.Demands(issuer: issuer, audiences: audiences))
    }

    /// Reads the file of the key set again, or fetches the set.
    func reload(_ source: KeySource) throws(CommandFault) {
        if isFetched { source.fetch() } else { source.replace(with: try keys()) }
    }

    private func keys() throws(CommandFault) -> KeySet {
        let path = keySet ?? ""
        let text = try TextFile.read(path)
        do throws(TokenFault) {
            return try KeySet(Array(text.utf8))
        } catch {
            throw CommandFault("\(path): \(error)")
        }
    }

    /// The bytes of the secret's file without one line end.
    private func secret() throws(CommandFault) -> [UInt8]? {
        guard let secretFile else { return nil }
        let bytes = try TextFile.secret(secretFile)
        guard bytes.count >= Self.secretBytes else {
            throw CommandFault(
                "the secret in \(secretFile) has \(bytes.count) bytes without its line end, and HS256 needs "
                    + "\(Self.secretBytes) or more")
        }
        return bytes
    }
}
