import JSON

/// The order of `min` and `max`: numbers by value, strings by code point. Other pairs of values have no order.
enum JSONOrder {
    /// Two values that have no order.
    struct Missing: Error, CustomStringConvertible {
        let one: JSON
        let other: JSON

        var description: String {
            "\(one.kind.words) and \(other.kind.words) have no order: only two numbers have one, and two strings"
        }
    }

    static func isBefore(_ one: JSON, _ other: JSON) throws(Missing) -> Bool {
        switch (one, other) {
        case (.number(let one), .number(let other)): one < other
        // Bytes of UTF-8 have the order of the code points.
        case (.string(let one), .string(let other)): one.utf8.lexicographicallyPrecedes(other.utf8)
        default: throw Missing(one: one, other: other)
        }
    }
}
