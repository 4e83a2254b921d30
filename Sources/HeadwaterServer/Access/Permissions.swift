import StateStore

/// The rights of an account, each for some spaces. They add up.
struct Permissions: Hashable, Sendable {
    /// A right for the spaces whose names match one of some patterns.
    struct Permission: Hashable, Sendable {
        let right: Right
        let patterns: [SpacePattern]

        /// Returns true if it covers the space.
        func covers(_ space: SpaceName) -> Bool { patterns.contains { $0.matches(space) } }
    }

    let all: [Permission]
    /// The greatest right for any space; nil for none.
    let greatest: Right?
    /// True if each right is for all spaces.
    let coversAll: Bool

    init(_ all: [Permission]) {
        self.all = all
        greatest = all.map(\.right).max()
        coversAll = !all.isEmpty && all.allSatisfy { $0.patterns.contains(.any) }
    }

    /// Returns the greatest right for a space; nil for none.
    func right(in space: SpaceName) -> Right? {
        // Most accounts have rights for all spaces.
        if coversAll { return greatest }
        return all.filter { $0.covers(space) }.map(\.right).max()
    }
}

/// A pattern of names of spaces, in which `*` matches any text.
struct SpacePattern: Hashable, Sendable {
    static let lengthLimit = 128
    static let starsLimit = 4
    /// The pattern of all names.
    static let any = SpacePattern(bytes: [UInt8(ascii: "*")])

    private let bytes: [UInt8]

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Throws if a pattern is longer than names are, or costly to compare.
    init(_ text: some StringProtocol) throws(CommandFault) {
        guard (1...Self.lengthLimit).contains(text.utf8.count),
            text.utf8.count(where: { $0 == UInt8(ascii: "*") }) <= Self.starsLimit
        else {
            throw CommandFault("a pattern has 1 to \(Self.lengthLimit) characters, and * at most four times")
        }
        bytes = Array(text.utf8)
    }

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
