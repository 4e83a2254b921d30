/// A right of a token. Each right includes the ones before it.
enum Right: Int, Comparable, CaseIterable {
    /// Read views and changes.
    case read
    /// Perform actions.
    case act
    /// Administer all spaces.
    case admin

    /// The right with the given name.
    init?(_ name: some StringProtocol) {
        switch name {
        case "read": self = .read
        case "act": self = .act
        case "admin": self = .admin
        default: return nil
        }
    }

    static func < (one: Right, other: Right) -> Bool { one.rawValue < other.rawValue }
}
