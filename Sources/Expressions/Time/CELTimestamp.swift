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
        let bytes = Array(text.utf8)
        func number(_ start: Int, _ count: Int) -> Int64? {
            guard start + count <= bytes.count else { return nil }
            var value: Int64 = 0
            for byte in bytes[start..<start + count] {
                guard byte &- 48 < 10 else { return nil }
                value = value * 10 + Int64(byte - 48)
            }
            return value
        }
        func has(_ letter: Unicode.Scalar, at place: Int) -> Bool {
            place < bytes.count && bytes[place] == UInt8(ascii: letter)
        }
        guard let year = number(0, 4), has("-", at: 4), let month = number(5, 2), has("-", at: 7),
            let day = number(8, 2), has("T", at: 10),
            let hour = number(11, 2), has(":", at: 13), let minute = number(14, 2), has(":", at: 16),
            let second = number(17, 2),
            1...12 ~= month, 1...CivilDate.days(in: month, of: year) ~= day, hour < 24, minute < 60, second < 60
        else { return nil }
        var place = 19
        var nanoseconds: Int32 = 0
        if has(".", at: place) {
            let start = place + 1
            place = start
            while place < bytes.count, bytes[place] &- 48 < 10 { place += 1 }
            guard place > start else { return nil }
            for position in 0..<9 {
                nanoseconds = nanoseconds * 10 + (start + position < place ? Int32(bytes[start + position] - 48) : 0)
            }
        }
        var offset: Int64 = 0
        if has("Z", at: place) {
            place += 1
        } else {
            guard has("+", at: place) || has("-", at: place), let hours = number(place + 1, 2), has(":", at: place + 3),
                let minutes = number(place + 4, 2), hours < 24, minutes < 60
            else { return nil }
            offset = (hours * 3600 + minutes * 60) * (has("-", at: place) ? -1 : 1)
            place += 6
        }
        guard place == bytes.count else { return nil }
        let days = CivilDate(year: year, month: month, day: day).days
        self.init(seconds: days * 86_400 + hour * 3600 + minute * 60 + second - offset, nanoseconds: nanoseconds)
    }
}
