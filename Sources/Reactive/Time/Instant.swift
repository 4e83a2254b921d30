/// A point in time, as a scheduler tells it: a whole number of nanoseconds from the scheduler's beginning.
public struct Instant: Hashable, Comparable, Sendable {
    /// Nanoseconds since the scheduler's beginning.
    public let nanoseconds: Int64

    /// The point `nanoseconds` after the beginning.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The beginning.
    public static let zero = Instant(nanoseconds: 0)

    /// Whether one point is before another.
    @inlinable
    public static func < (one: Instant, other: Instant) -> Bool {
        one.nanoseconds < other.nanoseconds
    }

    /// The point a duration later; where that would be beyond all time, the last there is.
    public static func + (instant: Instant, duration: Duration) -> Instant {
        let (sum, isBeyond) = instant.nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        return Instant(nanoseconds: isBeyond ? (duration < .zero ? .min : .max) : sum)
    }

    /// How long it is from one point to another.
    public static func - (end: Instant, start: Instant) -> Duration {
        .nanoseconds(end.nanoseconds) - .nanoseconds(start.nanoseconds)
    }
}

extension Duration {
    /// The duration in nanoseconds, rounded down, within what 64 bits hold.
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isBeyond) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isBeyondToo) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isBeyond || isBeyondToo ? (seconds < 0 ? .min : .max) : sum
    }
}
