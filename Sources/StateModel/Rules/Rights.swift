/// The rights of a caller in a space.
package struct Rights: OptionSet, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Read views and changes.
    package static let read = Rights(rawValue: 0b00001)
    /// Perform actions. Includes `read`.
    package static let act = Rights(rawValue: 0b00011)
    /// Define streams and hooks. Includes `read`.
    package static let define = Rights(rawValue: 0b00101)
    /// Read the metrics of the server. Includes no other right.
    package static let metrics = Rights(rawValue: 0b01000)
    /// Administer the space. Includes all rights.
    package static let admin = Rights(rawValue: 0b11111)

    private static let named: [(name: String, rights: Rights)] = [
        ("read", .read), ("act", .act), ("define", .define), ("metrics", .metrics), ("admin", .admin),
    ]

    /// The rights of a list of names; throws for the first name that is no right.
    package init(names: [some StringProtocol]) throws(PermissionFault) {
        self = []
        for name in names {
            guard let found = Self.named.first(where: { $0.name == name }) else {
                throw PermissionFault("\"\(name)\" is not a right: use read, act, define, metrics or admin")
            }
            formUnion(found.rights)
        }
    }

    /// The names of all rights that the set includes.
    package var names: [String] { Self.named.filter { contains($0.rights) }.map(\.name) }

    /// The shortest list of names of the set.
    package var description: String {
        let held = Self.named.filter { contains($0.rights) }
        let needed = held.filter { each in !held.contains { $0.rights.isStrictSuperset(of: each.rights) } }
        return needed.isEmpty ? "none" : needed.map(\.name).joined(separator: ", ")
    }
}

/// The reason why a list of rights or a pattern of spaces cannot be read.
package struct PermissionFault: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
