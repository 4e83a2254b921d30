package import JSON

/// Rows in an order, of which a formula reads single ones. During one evaluation they must not change.
package protocol RowRange: Sendable {
    /// The number of rows.
    var count: Int { get }
    /// Returns the key of the row at a place.
    func key(at place: Int) -> String
    /// Returns the row of a key; nil if it is not in the range.
    func row(_ key: String) -> JSON?
    /// Returns the row at a place.
    func row(at place: Int) -> JSON
    /// Returns the first rows, at most `count`.
    func limited(to count: Int) -> any RowRange
    /// Returns the rows from a value of the order on.
    func from(_ bound: JSON) -> any RowRange
    /// Returns the rows before a value of the order.
    func until(_ bound: JSON) -> any RowRange
}

/// The indexes that a formula may read.
package protocol IndexReading: Sendable {
    /// Returns the rows of a group of an index.
    func rows(of index: String, _ group: [JSON]) -> any RowRange
    /// Returns the number of groups of an index.
    func groupCount(of index: String) -> Int
}

/// A method of the rows of an index.
enum RangeMethod: String, CaseIterable {
    case first, last, firstKey, lastKey, only, limit, from, until

    /// The method of a name with a number of arguments, or nil.
    init?(_ name: String, _ count: Int) {
        guard let method = RangeMethod(rawValue: name), method.takesValue == (count == 1), count < 2 else { return nil }
        self = method
    }

    /// True if the method has an argument.
    var takesValue: Bool {
        switch self {
        case .first, .last, .firstKey, .lastKey, .only: false
        case .limit, .from, .until: true
        }
    }

    /// An example of a call.
    var example: String { takesValue ? "\(rawValue)(x)" : "\(rawValue)()" }
}
