import Expressions
import Ground
import JSON

/// The order of the values of `sort`, `min` and `max`: null, false, true, numbers, texts by code point, then all others
/// as equal.
enum SortValue {
    /// Returns a value in the form that is compared. A time is a number, because its text has no order.
    static func sortable(_ value: JSON, _ type: ExpressionType) -> JSON {
        guard type.withoutNull == .timestamp, case .string(let text) = value, let instant = RFC3339.instant(text)
        else { return value }
        let whole = Decimal(Int64(instant.seconds))
        // Seconds and nanoseconds of a time have fewer digits than a decimal, so nothing fails.
        guard let part = try? Decimal(Int64(instant.nanoseconds), exponent: -9), let sum = try? whole + part else {
            return .number(whole)
        }
        return .number(sum)
    }

    /// Returns a number below 0 if the first value comes before the second, above 0 if after it, 0 for equal ones.
    static func compare(_ one: JSON, _ other: JSON) -> Int {
        switch (one, other) {
        case (.number(let one), .number(let other)): return one < other ? -1 : other < one ? 1 : 0
        case (.string(let one), .string(let other)):
            if one.utf8.elementsEqual(other.utf8) { return 0 }
            return one.utf8.lexicographicallyPrecedes(other.utf8) ? -1 : 1
        default: return rank(one) - rank(other)
        }
    }

    private static func rank(_ value: JSON) -> Int {
        switch value {
        case .null: 0
        case .bool(false): 1
        case .bool(true): 2
        case .number: 3
        case .string: 4
        case .array, .object: 5
        }
    }
}
