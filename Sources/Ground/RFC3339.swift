/// A time as RFC 3339 writes it, in UTC.
package enum RFC3339 {
    /// The text of a time in microseconds since 1970, with six decimals: `2026-11-21T22:00:00.000000Z`.
    package static func text(microseconds: Int64) -> String {
        let second = microseconds.floorDivided(by: 1_000_000)
        let day = second.floorDivided(by: 86_400)
        let ofDay = second - day * 86_400
        let date = CivilDate(days: day)
        return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T"
            + "\(padded(ofDay / 3_600, 2)):\(padded(ofDay / 60 % 60, 2)):\(padded(ofDay % 60, 2))"
            + ".\(padded(microseconds - second * 1_000_000, 6))Z"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    /// Parses a date-time of RFC 3339 §5.6: seconds since 1970 and the nanoseconds within the second; nil if the text
    /// has another form. Digits beyond nanoseconds are dropped.
    package static func instant(_ text: String) -> (seconds: Int64, nanoseconds: Int32)? {
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
            offset = (hours * 3_600 + minutes * 60) * (has("-", at: place) ? -1 : 1)
            place += 6
        }
        guard place == bytes.count else { return nil }
        let days = CivilDate(year: year, month: month, day: day).days
        return (days * 86_400 + hour * 3_600 + minute * 60 + second - offset, nanoseconds)
    }
}
