/// An index of the names in a list of members: nothing for a short list, which is searched linearly, and a hash table
/// of positions for a longer one.
///
/// It stores no names, so an object stays two words wide and stores each name once. The caller passes a closure that
/// returns the name at a position.
@usableFromInline
struct KeyIndex: Sendable {
    /// The greatest number of members that is searched linearly.
    @usableFromInline static let scanLimit = 12

    /// An open-addressing hash table of positions plus one; 0 marks a free slot. Empty up to `scanLimit` members.
    @usableFromInline var slots: [UInt32] = []

    @inlinable
    init() {}

    /// Returns the position of a name among `count` members.
    @inlinable
    func position(of name: String, count: Int, nameAt: (Int) -> String) -> Int? {
        let name = CodeUnits(name)
        if slots.isEmpty {
            for position in 0..<count where CodeUnits(nameAt(position)) == name { return position }
            return nil
        }
        var slot = Self.home(of: name, in: slots.count)
        while slots[slot] != 0 {
            let position = Int(slots[slot]) - 1
            if CodeUnits(nameAt(position)) == name { return position }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Records a new name that was appended as the last of `count` members.
    @inlinable
    mutating func append(count: Int, nameAt: (Int) -> String) {
        guard count > Self.scanLimit else { return }
        if count * 2 > slots.count {
            rebuild(count: count, nameAt: nameAt)
        } else {
            place(count - 1, nameAt(count - 1))
        }
    }

    /// Rebuilds the table after positions have changed.
    @inlinable
    mutating func rebuild(count: Int, nameAt: (Int) -> String) {
        slots = []
        guard count > Self.scanLimit else { return }
        var size = 32
        while size < count * 4 { size *= 2 }
        slots = [UInt32](repeating: 0, count: size)
        for position in 0..<count { place(position, nameAt(position)) }
    }

    @inlinable
    mutating func place(_ position: Int, _ name: String) {
        var slot = Self.home(of: CodeUnits(name), in: slots.count)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = UInt32(position + 1)
    }

    /// Returns the first slot to probe for a name. Swift seeds its hashing per process, so a client cannot choose names
    /// that collide.
    @inlinable
    static func home(of name: CodeUnits, in size: Int) -> Int {
        name.hashValue & (size - 1)
    }
}
