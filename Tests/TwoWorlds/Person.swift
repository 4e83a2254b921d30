/// A client of the two worlds.
package enum Person: String, Sendable, CaseIterable {
    /// The caller whom rules, private members and patterns of spaces shut out. All that it gets is compared.
    case eva
    /// A caller whom the rules allow, with the right `admin` for all spaces.
    case mia
    /// The operator, who deploys documents. The rules shut it out too.
    case root

    /// The claims of its token, without those that every token has.
    var claims: String {
        switch self {
        case .eva: #""sub":"eva","team":"red","level":1,"groups":["guests"]"#
        case .mia: #""sub":"mia","team":"blue","level":5,"groups":["staff","guests"],"badge":"gold""#
        case .root: #""sub":"root","team":"","level":9,"groups":[]"#
        }
    }
}

/// The rights of eva.
package enum Standing: String, Sendable, CaseIterable {
    /// Reads and acts in some spaces.
    case guest
    /// Reads in some spaces.
    case reader
    /// Administers the space `main`, and acts in others.
    case keeper
    /// Administers the space `common` only.
    case librarian
    /// Has a good token without any right.
    case stranger

    /// The right that defines streams and hooks beside reading and acting.
    static let defining = "define"

    /// The grants of eva.
    var grants: [String] {
        let rights: [(String, String)] =
            switch self {
            case .guest: [("act", "main room-* common"), (Self.defining, "main room-* common")]
            case .reader: [("read", "main room-* common")]
            case .keeper: [("admin", "main"), ("act", "room-*"), (Self.defining, "room-*")]
            case .librarian: [("admin", "common")]
            case .stranger: []
            }
        return rights.map { "token.sub == 'eva' => \($0.0), \($0.1)" }
    }

    /// True if eva reads a space.
    func reads(_ space: String) -> Bool {
        switch self {
        case .guest, .reader: space == "main" || space == "common" || space.hasPrefix("room-")
        case .keeper: space == "main" || space.hasPrefix("room-")
        case .librarian: space == "common"
        case .stranger: false
        }
    }

    /// True if eva acts in a space.
    func acts(in space: String) -> Bool { self != .reader && reads(space) }

    /// True if eva administers a space.
    func administers(_ space: String) -> Bool {
        switch self {
        case .keeper: space == "main"
        case .librarian: space == "common"
        default: false
        }
    }

    /// True if eva defines streams and hooks in a space.
    func defines(in space: String) -> Bool { administers(space) || acts(in: space) && self != .librarian }

    /// True if eva reads the views of a feature somewhere. Those of `common` are read in every space.
    func readsSomewhere(inCommon: Bool) -> Bool {
        switch self {
        case .guest, .reader, .keeper: true
        case .librarian: inCommon
        case .stranger: false
        }
    }
}
