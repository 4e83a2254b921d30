/// A point in time: microseconds since 1970-01-01 00:00 UTC.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01 00:00 UTC.
    public let microseconds: Int64

    /// The time `microseconds` after the beginning of 1970.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Returns true if `one` is before `other`.
    public static func < (one: Timestamp, other: Timestamp) -> Bool {
        one.microseconds < other.microseconds
    }
}

extension Timestamp {
    /// The beginning of the year 1, the least time that RFC 3339 can write.
    public static let earliest = Timestamp(microseconds: -62_135_596_800_000_000)
    /// The last microsecond of the year 9999, the greatest time that RFC 3339 can write.
    public static let latest = Timestamp(microseconds: 253_402_300_799_999_999)

    /// The time `seconds` after the beginning of 1970.
    public init(seconds: Int64) {
        let (microseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        self = overflow ? (seconds < 0 ? .earliest : .latest) : Timestamp(microseconds: microseconds)
    }

    /// The whole seconds since 1970-01-01 00:00 UTC, rounded down.
    public var seconds: Int64 {
        microseconds >= 0 ? microseconds / 1_000_000 : -((999_999 - microseconds) / 1_000_000)
    }

    /// Returns the time after a duration, rounded toward `time` to microseconds. A time beyond `earliest` or `latest`
    /// is that limit.
    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        return time.moved(Int128(seconds) * 1_000_000 + Int128(attoseconds / 1_000_000_000_000))
    }

    /// Returns the time before a duration, rounded toward `time` to microseconds. A time beyond `earliest` or `latest`
    /// is that limit.
    public static func - (time: Timestamp, duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        return time.moved(-(Int128(seconds) * 1_000_000 + Int128(attoseconds / 1_000_000_000_000)))
    }

    /// Returns the duration from `earlier` to `later`; below zero if `later` is the earlier one.
    public static func - (later: Timestamp, earlier: Timestamp) -> Duration {
        .microseconds(later.microseconds) - .microseconds(earlier.microseconds)
    }

    /// Moves a time later.
    public static func += (time: inout Timestamp, duration: Duration) { time = time + duration }

    /// Moves a time earlier.
    public static func -= (time: inout Timestamp, duration: Duration) { time = time - duration }

    private func moved(_ microseconds: Int128) -> Timestamp {
        let sum = Int128(self.microseconds) + microseconds
        if sum <= Int128(Self.earliest.microseconds) { return .earliest }
        return sum >= Int128(Self.latest.microseconds) ? .latest : Timestamp(microseconds: Int64(sum))
    }
}
