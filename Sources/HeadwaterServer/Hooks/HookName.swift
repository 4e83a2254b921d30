import StateStore
import Streams

/// The name of a hook: its space and its id.
struct HookName: Hashable, Sendable {
    let space: SpaceName
    let id: String

    /// The hook of a space; nil if `id` is not an id.
    init?(_ id: String, in space: SpaceName) {
        guard Identifier.isOne(id) else { return nil }
        self.space = space
        self.id = id
    }

    /// Reads the key of a row.
    init?(key: String) {
        let parts = key.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let space = SpaceName(String(parts[0])) else { return nil }
        self.init(String(parts[1]), in: space)
    }

    /// The key of its row. Neither part contains a slash.
    var key: String { "\(space)/\(id)" }

    /// The path of its resource.
    var path: String { "/v1/spaces/\(space)/hooks/\(id)" }
}
