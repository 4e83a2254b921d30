/// A point in time of a scheduler: a whole number of nanoseconds since the scheduler's origin.
public struct Instant: Hashable, Comparable, Sendable {
    /// Nanoseconds since the scheduler's origin.
    public let nanoseconds: Int64

    /// Creates the instant `nanoseconds` after the origin.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The origin.
    public static let zero = Instant(nanoseconds: 0)

    /// True if `one` is before `other`.
    @inlinable
    public static func < (one: Instant, other: Instant) -> Bool {
        one.nanoseconds < other.nanoseconds
    }

    /// Returns the instant a duration later, clamped to the range of `Int64` nanoseconds.
    public static func + (instant: Instant, duration: Duration) -> Instant {
        let (sum, isBeyond) = instant.nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        return Instant(nanoseconds: isBeyond ? (duration < .zero ? .min : .max) : sum)
    }

    /// Returns the duration between two instants.
    public static func - (end: Instant, start: Instant) -> Duration {
        .nanoseconds(end.nanoseconds) - .nanoseconds(start.nanoseconds)
    }
}

extension Duration {
    /// The duration in nanoseconds, truncated to whole nanoseconds and clamped to the range of `Int64`.
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isBeyond) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isBeyondToo) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isBeyond || isBeyondToo ? (seconds < 0 ? .min : .max) : sum
    }
}
