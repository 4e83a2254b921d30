/// The question to the owner of a lane for its last kept number, and the answer.
struct FreshQuestion {
    /// The asking node.
    let node: String
    /// The number of the last entry of the lane that it has applied.
    let applied: Int
    /// The version of `common` that it has applied.
    let common: Int
}

extension FreshQuestion {
    /// Reads a question; nil if the bytes are none.
    init?(_ bytes: [UInt8]) {
        var reader = EntryReader(bytes)
        guard let node = try? reader.text(), let applied = try? reader.number(), let common = try? reader.number(),
            NodeName.isValid(node)
        else { return nil }
        self.init(node: node, applied: applied, common: common)
    }

    var bytes: [UInt8] {
        var writer = EntryWriter()
        writer.text(node)
        writer.count(applied)
        writer.count(common)
        return writer.bytes
    }

    /// The bytes of an answer.
    static func answer(_ number: Int) -> [UInt8] {
        var writer = EntryWriter()
        writer.count(number)
        return writer.bytes
    }

    /// Reads the number in an answer; nil if there is none.
    static func number(_ bytes: [UInt8]) -> Int? {
        var reader = EntryReader(bytes)
        return try? reader.number()
    }
}
