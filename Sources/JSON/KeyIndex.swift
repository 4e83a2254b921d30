/// Where names stand in a list of members: nothing while the list is short enough to look through, a hash table of positions beyond that.
///
/// It holds no names itself, so an object stays two words wide and stores each name once; whoever asks says how to reach the name at a
/// position.
@usableFromInline
struct KeyIndex: Sendable {
    /// As many members as are looked through one by one.
    @usableFromInline static let scanLimit = 12

    /// Positions plus one by hash, open addressing, 0 where nothing is; empty while there is nothing to index.
    @usableFromInline var slots: [UInt32] = []

    @inlinable
    init() {}

    /// The position of a name among `count` members.
    @inlinable
    func position(of name: String, count: Int, nameAt: (Int) -> String) -> Int? {
        let name = CodeUnits(name)
        if slots.isEmpty {
            return (0..<count).first { CodeUnits(nameAt($0)) == name }
        }
        var slot = Self.home(of: name, in: slots.count)
        while slots[slot] != 0 {
            let position = Int(slots[slot]) - 1
            if CodeUnits(nameAt(position)) == name { return position }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Takes note of a name that was appended as the last of `count` members and was not there before.
    @inlinable
    mutating func append(count: Int, nameAt: (Int) -> String) {
        guard count > Self.scanLimit else { return }
        if count * 2 > slots.count {
            rebuild(count: count, nameAt: nameAt)
        } else {
            place(count - 1, nameAt(count - 1))
        }
    }

    /// Starts over, after positions have moved.
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

    /// Where a name is looked for first. Swift's hashing is seeded by process, so nobody outside can choose names that meet.
    @inlinable
    static func home(of name: CodeUnits, in size: Int) -> Int {
        name.hashValue & (size - 1)
    }
}
