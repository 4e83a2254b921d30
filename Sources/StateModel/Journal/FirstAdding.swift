/// The first adding of a row of a document's table. Rows stand in the order of their first adding where no view sorts
/// them.
package struct FirstAdding: Hashable, Sendable {
    /// The version of the commit that added the row. For a row in memory only, whose changes make no versions: the number
    /// of the change.
    package let version: Int
    /// The number of rows that the commit added before this one.
    package let index: Int

    package init(version: Int, index: Int) {
        (self.version, self.index) = (version, index)
    }

    /// The adding of a row that was stored without one. It precedes every other.
    package static let unknown = FirstAdding(version: -1, index: 0)

    /// Returns a number above those of all changes in memory only that owners of earlier terms of a space make.
    package static func changes(before term: Int) -> Int { min(term, 1 << 20) << 32 }

    /// The adding with two numbers that were read; nil if no commit can have made it.
    package init?(readVersion version: Int64, index: Int64) {
        guard (-1..<1 << 53).contains(version), (0..<1 << 53).contains(index) else { return nil }
        self.init(version: Int(version), index: Int(index))
    }
}

extension FirstAdding: Comparable {
    package static func < (one: FirstAdding, other: FirstAdding) -> Bool {
        (one.version, one.index) < (other.version, other.index)
    }
}

extension FirstAdding {
    /// The beginning of the stored form of a row with its first adding, `["\u0000",18,3,ROW]`.
    static let mark: StaticString = "[\"\\u0000\""

    /// Returns true if bytes have the mark at a place.
    static func isMarked(_ bytes: [UInt8], at place: Int = 0) -> Bool {
        guard bytes.count - place >= mark.utf8CodeUnitCount else { return false }
        for index in 0..<mark.utf8CodeUnitCount {
            guard unsafe bytes[place + index] == mark.utf8Start[index] else { return false }
        }
        return true
    }

    /// Returns true if the JSON of a whole table has the mark. Only that part of the mark is looked for which other values
    /// seldom have.
    static func isContained(in whole: [UInt8]) -> Bool {
        guard whole.first == UInt8(ascii: "{") else { return false }
        var rest = whole[...]
        while let escape = rest.firstIndex(of: UInt8(ascii: "\\")) {
            if escape >= 2, isMarked(whole, at: escape - 2) { return true }
            rest = whole[(escape + 1)...]
        }
        return false
    }
}

extension Fact {
    /// True if the value is a row with its first adding, or may hold such rows.
    package var hasAddings: Bool {
        guard let value else { return false }
        return entry == nil ? FirstAdding.isContained(in: value) : FirstAdding.isMarked(value)
    }
}
