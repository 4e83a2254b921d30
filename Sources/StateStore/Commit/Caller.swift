public import JSON

/// The client that calls an action or reads a view.
public struct Caller: Hashable, Sendable {
    /// The properties of a caller. A class, so that copying a call costs one reference.
    private final class CallerIdentity: Sendable {
        let subject: String
        let claims: JSON

        init(_ subject: String, _ claims: JSON) {
            self.subject = subject
            self.claims = claims
        }
    }

    private let identity: CallerIdentity

    /// The subject of the client's token; nil for a token without a subject, without tokens, and for an effect.
    public var subject: String? { identity.subject.isEmpty ? nil : identity.subject }

    /// The verified claims of the client's token, an object. A token of the token file has `sub` and `rights`; without
    /// tokens `sub` is empty.
    public var claims: JSON { identity.claims }

    /// A claim of the client's token; nil if the token does not have it.
    public func claim(_ name: String) -> JSON? { identity.claims[name] }

    /// True for the server itself: effects, alarms and deletion handlers. No rule binds it.
    package var isServer: Bool { identity === Self.server.identity }

    /// True for a client: rules bind it.
    @usableFromInline var isBound: Bool { !isServer }

    /// The subject, or the empty text for none.
    var by: String { identity.subject }

    /// A caller with a subject, the empty text for none, and with the claims of its token.
    package init(_ subject: String, claims: JSON) {
        identity = CallerIdentity(subject, claims)
    }

    /// A caller with a subject; the empty text stands for none.
    package init(_ subject: String) {
        self = subject.isEmpty ? .nobody : Caller(subject, claims: ["sub": .string(subject)])
    }

    /// A client without a token.
    package static let nobody = Caller("", claims: ["sub": ""])

    /// The server itself.
    package static let server = Caller("", claims: ["sub": ""])

    /// Returns true if the callers have the same claims, and both or neither are the server.
    public static func == (one: Caller, other: Caller) -> Bool {
        one.identity === other.identity
            || one.isServer == other.isServer && one.by == other.by && one.claims == other.claims
    }

    /// Hashes the subject.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identity.subject)
    }
}

extension Caller: CustomStringConvertible, CustomReflectable {
    /// `ada`, `nobody` for a caller without a subject, or `the server`.
    public var description: String { isServer ? "the server" : subject ?? "nobody" }

    /// The subject and the claims.
    public var customMirror: Mirror {
        Mirror(self, children: ["caller": description, "claims": claims], displayStyle: .struct)
    }
}
