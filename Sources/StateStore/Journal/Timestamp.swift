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
    static func - (time: Timestamp, duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        return Timestamp(microseconds: time.microseconds - seconds * 1_000_000 - attoseconds / 1_000_000_000_000)
    }
}
