public import JSON

/// The server's answer to an action: the commit is durable.
public struct ActionReply: Hashable, Sendable {
    /// The version of the space that has the action.
    public var version: Int
    /// The views that the action changed.
    public var changed: [String]
    /// The value that the action answered.
    public var result: JSON?
    /// True if the answer was lost: the action was performed or refused, and later ones were answered.
    public var isUnknown = false

    init(_ content: JSON) {
        version = content["version"]?.integer ?? 0
        changed = content["changed"]?.elements.compactMap(\.text) ?? []
        result = content["result"]
    }

    private init() {
        (version, changed, isUnknown) = (0, [], true)
    }

    static let unknown = ActionReply()
}
