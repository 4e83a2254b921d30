public import JSON

/// An amount of money in a currency with two decimals, exact. In JSON it is a number: `12.5`.
///
/// The operators do not throw, unlike those of `Decimal`. An amount has at most 16 digits before the point; a result
/// beyond `greatest` stays `greatest`, and one below `least` stays `least`. An action's input is bounded by a
/// constraint, such as `.from(1...10_000)`, so real amounts stay far from there.
///
///     commit[account.balance] -= input.amount
public struct Money: Hashable, Sendable {
    /// The amount in hundredths.
    public let cents: Int64

    /// The greatest amount.
    public static let greatest = Money(cents: 999_999_999_999_999_999)
    /// The least amount.
    public static let least = Money(cents: -999_999_999_999_999_999)

    /// The amount of some hundredths.
    public init(cents: Int64) {
        self.cents = min(max(cents, -999_999_999_999_999_999), 999_999_999_999_999_999)
    }

    /// The amount of a number; nil for more than two decimals or an amount that is too great.
    public init?(_ number: Decimal) {
        guard number.exponent >= -2, number.exponent <= 16 else { return nil }
        let factor = (0..<number.exponent + 2).reduce(Int128(1)) { product, _ in product * 10 }
        guard let cents = Int64(exactly: Int128(number.coefficient) * factor), Money(cents: cents).cents == cents else {
            return nil
        }
        self.cents = cents
    }

    /// The amount as a number.
    public var decimal: Decimal {
        do {
            return try Decimal(cents, exponent: -2)
        } catch {
            preconditionFailure("18 digits have an exact form")
        }
    }

    /// Returns a share of the amount, such as 0.19 of a price, rounded to hundredths; halves round to even.
    public func share(_ share: Decimal) -> Money {
        do {
            if let amount = Money(try decimal.multiplied(by: share, places: 2)) { return amount }
        } catch {
            // The product has more digits than any amount.
        }
        return (share < 0) == (cents < 0) ? .greatest : .least
    }

    /// Returns the amount some times.
    public static func * (amount: Money, times: Int) -> Money {
        let (product, overflow) = amount.cents.multipliedReportingOverflow(by: Int64(times))
        return overflow ? ((times < 0) == (amount.cents < 0) ? .greatest : .least) : Money(cents: product)
    }
}

extension Money: AdditiveArithmetic, Comparable {
    /// No money.
    public static let zero = Money(cents: 0)

    /// Returns the sum.
    public static func + (one: Money, other: Money) -> Money {
        // The sum of two amounts fits 64 bits.
        Money(cents: one.cents + other.cents)
    }

    /// Returns the difference.
    public static func - (one: Money, other: Money) -> Money { Money(cents: one.cents - other.cents) }

    /// Returns true if `one` is less than `other`.
    public static func < (one: Money, other: Money) -> Bool { one.cents < other.cents }
}

extension Money: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// The amount of a whole number: `let price: Money = 12`.
    public init(integerLiteral value: Int64) { self = Money.zero + Money(cents: 100) * Int(value) }

    /// The amount of a number with up to 15 digits: `let price: Money = 12.5`. Precondition: it has at most two decimals.
    public init(floatLiteral value: Double) {
        guard let amount = Decimal(value).flatMap({ Money($0) }) else {
            preconditionFailure("an amount of money has at most two decimals, and \(value) has more or is too great")
        }
        self = amount
    }
}

extension Money: LosslessStringConvertible {
    /// The amount with two decimals: `12.50`.
    public var description: String {
        let magnitude = cents.magnitude
        let hundredths = String(magnitude % 100)
        return "\(cents < 0 ? "-" : "")\(magnitude / 100).\(hundredths.count < 2 ? "0" : "")\(hundredths)"
    }

    /// Parses an amount such as `12.50`; nil for another text.
    public init?(_ text: String) {
        guard let amount = Decimal(text).flatMap({ Money($0) }) else { return nil }
        self = amount
    }
}

extension Money: JSONConvertible, SchemaProviding {
    /// Reads a number with at most two decimals.
    public init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.offset
        guard let amount = Money(try reader.decimal()) else {
            throw JSONError(.refused("must be an amount of money with at most two decimals"), at: start)
        }
        self = amount
    }

    /// Writes the number.
    public func write(to writer: inout JSONWriter) { writer.decimal(decimal) }

    /// Returns the number.
    public func tree() throws(JSONError) -> JSON { .number(decimal) }

    /// A number with at most two decimals.
    public static var schema: JSON { ["type": "number", "format": "decimal", "multipleOf": 0.01] }
}

extension Constraint where Value == Money {
    /// An amount in a range.
    public static func from(_ range: ClosedRange<Money>) -> Constraint {
        Constraint(
            "must be from \(range.lowerBound) to \(range.upperBound)",
            keywords: [
                ("minimum", .number(range.lowerBound.decimal)), ("maximum", .number(range.upperBound.decimal)),
            ]
        ) { range.contains($0) ? $0 : nil }
    }
}
