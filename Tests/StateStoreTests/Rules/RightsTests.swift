import Testing

@testable import StateStore

/// Rights as a set, and the spaces that they are for.
@Suite struct RightsTests {
    @Test(arguments: [
        ("", "none", ""), ("read", "read", "read"), ("act", "act", "read act"), ("define", "define", "read define"),
        ("read,act", "act", "read act"), ("act,read,define", "act, define", "read act define"),
        ("metrics", "metrics", "metrics"), ("metrics,read", "read, metrics", "read metrics"),
        ("admin", "admin", "read act define metrics admin"), ("admin,read", "admin", "read act define metrics admin"),
        ("act,define,metrics", "act, define, metrics", "read act define metrics"),
    ])
    func `a right includes others`(_ written: String, _ shortest: String, _ names: String) throws {
        let rights = try Rights(names: written.split(separator: ","))
        #expect("\(rights)" == shortest && rights.names.joined(separator: " ") == names)
    }

    @Test(arguments: ["write", "Read", "read,", "admin,all"])
    func `a name that is no right is refused`(_ written: String) {
        #expect(throws: PermissionFault.self) {
            try Rights(names: written.split(separator: ",", omittingEmptySubsequences: false))
        }
    }

    /// Permissions, as `RIGHT PATTERN…`; the rights in the spaces `a`, `a-1` and `b`; and whether these are all alike.
    @Test(arguments: [
        ([], ["none", "none", "none"], false), (["read *"], ["read", "read", "read"], true),
        (["act a-*"], ["none", "act", "none"], false),
        (["read *", "act a-*", "define *-1"], ["read", "act, define", "read"], false),
        (["metrics *", "read b"], ["metrics", "metrics", "read, metrics"], false),
        (["act *", "read a"], ["act", "act", "act"], true),
    ])
    func `permissions add up in each space`(_ all: [String], _ expected: [String], _ coversAll: Bool) throws {
        let permissions = Permissions(
            try all.map { text in
                let words = text.split(separator: " ")
                return Permissions.Permission(
                    try Rights(names: [words[0]]), in: try words.dropFirst().map { try SpacePattern($0) })
            })
        let spaces = ["a", "a-1", "b"].compactMap { SpaceName($0) }
        #expect(spaces.map { "\(permissions.rights(in: $0))" } == expected && permissions.coversAll == coversAll)
        let union = spaces.reduce(into: Rights()) { $0.formUnion(permissions.rights(in: $1)) }
        #expect(permissions.anywhere == union && permissions.anywhere.isSuperset(of: permissions.everywhere))
    }
}
