/// The permissions of an account, each for some spaces. They add up.
package struct Permissions: Hashable, Sendable {
    /// Rights for the spaces whose names match one of some patterns.
    package struct Permission: Hashable, Sendable {
        package let rights: Rights
        package let patterns: [SpacePattern]

        package init(_ rights: Rights, in patterns: [SpacePattern]) {
            self.rights = rights
            self.patterns = patterns
        }

        /// Returns true if it covers the space.
        fileprivate func covers(_ space: SpaceName) -> Bool { patterns.contains { $0.matches(space) } }
    }

    package let all: [Permission]
    /// The rights that the account has in any space.
    package let anywhere: Rights
    /// The rights that the account has in all spaces.
    package let everywhere: Rights
    /// True if the account has rights, and the same ones in all spaces.
    package let coversAll: Bool

    package init(_ all: [Permission]) {
        self.all = all
        anywhere = Self.union(all)
        everywhere = Self.union(all.filter { $0.patterns.contains(.any) })
        coversAll = !anywhere.isEmpty && anywhere == everywhere
    }

    /// Returns the rights in a space, none if no permission covers it.
    package func rights(in space: SpaceName) -> Rights {
        // Most accounts have the same rights in all spaces.
        coversAll ? anywhere : Self.union(all.filter { $0.covers(space) })
    }

    private static func union(_ permissions: [Permission]) -> Rights {
        permissions.reduce(into: []) { $0.formUnion($1.rights) }
    }
}

/// A pattern of names of spaces, in which `*` matches any text.
package struct SpacePattern: Hashable, Sendable {
    private static let lengthLimit = 128
    private static let starsLimit = 4
    /// The pattern of all names.
    package static let any = SpacePattern(bytes: [UInt8(ascii: "*")])

    private let bytes: [UInt8]

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Throws if a pattern is longer than names are, or costly to compare.
    package init(_ text: some StringProtocol) throws(PermissionFault) {
        guard (1...Self.lengthLimit).contains(text.utf8.count),
            text.utf8.count(where: { $0 == UInt8(ascii: "*") }) <= Self.starsLimit
        else {
            throw PermissionFault("a pattern has 1 to \(Self.lengthLimit) characters, and * at most four times")
        }
        bytes = Array(text.utf8)
    }

    /// The pattern as it was written.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Returns true if the name of a space has this form.
    func matches(_ space: SpaceName) -> Bool {
        bytes == Self.any.bytes || Self.matches(Array(space.description.utf8)[...], bytes[...])
    }

    private static func matches(_ name: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
        guard let first = pattern.first else { return name.isEmpty }
        if first == UInt8(ascii: "*") {
            return (name.startIndex...name.endIndex).contains { matches(name[$0...], pattern.dropFirst()) }
        }
        return name.first == first && matches(name.dropFirst(), pattern.dropFirst())
    }
}
