/// The names of recently requested spaces that the journal does not hold. The table has a fixed size: a new name
/// replaces another.
struct UnwrittenSpaces {
    /// The number of names. A power of two.
    static let limit = 1_024

    private var names: [SpaceName?] = []

    /// Returns true if the name is known to be unwritten.
    func contains(_ name: SpaceName) -> Bool { !names.isEmpty && names[Self.index(of: name)] == name }

    /// Adds a name. Returns the name whose place it takes, if any.
    mutating func insert(_ name: SpaceName) -> SpaceName? {
        if names.isEmpty { names = Array(repeating: nil, count: Self.limit) }
        let index = Self.index(of: name)
        defer { names[index] = name }
        return names[index] == name ? nil : names[index]
    }

    /// Removes a name. Returns true if it was there.
    @discardableResult
    mutating func remove(_ name: SpaceName) -> Bool {
        guard contains(name) else { return false }
        names[Self.index(of: name)] = nil
        return true
    }

    /// Removes all names.
    mutating func removeAll() {
        names = []
    }

    /// Fibonacci hashing, because similar names have similar digests.
    private static func index(of name: SpaceName) -> Int {
        Int((name.digest &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - limit.trailingZeroBitCount))
    }
}
