/// The client that calls an action.
public struct Caller: Hashable, Sendable {
    private let storedSubject: String

    /// The subject of the client's token; nil for a token without a subject, without tokens, and for an effect.
    public var subject: String? { storedSubject.isEmpty ? nil : storedSubject }

    /// A caller with a subject; the empty text stands for none.
    package init(_ subject: String) {
        storedSubject = subject
    }
}
