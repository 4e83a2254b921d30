/// What a token allows; each includes those before it.
enum Right: Int, Comparable, CaseIterable {
    /// To read.
    case read
    /// To act.
    case act
    /// To do what concerns everybody.
    case admin

    /// The right of a name.
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
