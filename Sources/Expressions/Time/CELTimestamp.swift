internal import Ground

/// A CEL timestamp with nanoseconds, from year 1 to year 9999.
struct CELTimestamp: Hashable, Comparable, Sendable {
    /// Seconds since 1970 in UTC.
    let seconds: Int64
    /// Nanoseconds within the second, below 1,000,000,000.
    let nanoseconds: Int32

    static let range: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

    /// Creates a timestamp; nil outside the years 1 to 9999.
    init?(seconds: Int64, nanoseconds: Int32 = 0) {
        guard Self.range.contains(seconds) else { return nil }
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    static func < (left: CELTimestamp, right: CELTimestamp) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }

    /// Returns the timestamp after `nanoseconds`; nil outside the range.
    func adding(_ nanoseconds: Int128) -> CELTimestamp? {
        let sum = total + nanoseconds
        let perSecond = Int128(CELDuration.perSecond)
        let rest = (sum % perSecond + perSecond) % perSecond
        return Int64(exactly: (sum - rest) / perSecond).flatMap { CELTimestamp(seconds: $0, nanoseconds: Int32(rest)) }
    }

    /// Returns the duration from another timestamp to this one; nil if it exceeds the range of a duration.
    func since(_ other: CELTimestamp) -> CELDuration? {
        Int64(exactly: total - other.total).map { CELDuration(nanoseconds: $0) }
    }

    private var total: Int128 { Int128(seconds) * Int128(CELDuration.perSecond) + Int128(nanoseconds) }
}

extension CELTimestamp: CustomStringConvertible {
    /// The timestamp in RFC 3339 format, in UTC.
    var description: String {
        let date = CivilDate(days: seconds.floorDivided(by: 86_400))
        let second = seconds.floorRemainder(by: 86_400)
        func padded(_ value: Int64, _ count: Int) -> String {
            let digits = "\(value)"
            return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
        }
        return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
            + "T\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
            + fractionText(UInt64(nanoseconds)) + "Z"
    }

    /// Parses a date-time of RFC 3339 §5.6; nil if the text has another form or is outside the range.
    init?(_ text: String) {
        guard let instant = RFC3339.instant(text) else { return nil }
        self.init(seconds: instant.seconds, nanoseconds: instant.nanoseconds)
    }
}
