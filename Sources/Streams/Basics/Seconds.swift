import JSON
import Reactive

extension Decimal {
    /// A number of thousandths.
    static func thousandths(_ count: Int) -> Decimal {
        guard let value = try? Decimal(Int64(count), exponent: -3) else {
            preconditionFailure("any few thousandths have a decimal form")
        }
        return value
    }

    /// The number as seconds, to the nearest nanosecond, limited to the range of `Duration`.
    var duration: Duration {
        let rounded = rounded(places: 9)
        guard let nanoseconds = try? rounded * 1_000_000_000, let whole = nanoseconds.int64 else {
            return .nanoseconds(self < 0 ? Int64.min : .max)
        }
        return .nanoseconds(whole)
    }
}

extension Instant {
    /// The seconds since the start, exactly.
    var seconds: Decimal { Duration.nanoseconds(nanoseconds).seconds }
}

extension Duration {
    /// The seconds, exact to the nanosecond.
    var seconds: Decimal {
        // A coefficient of 64 bits with nine decimal places always fits.
        (try? Decimal(wholeNanoseconds, exponent: -9)) ?? Decimal(components.seconds)
    }
}
