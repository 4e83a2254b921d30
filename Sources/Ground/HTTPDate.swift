/// A time as header fields write it, to the second (RFC 9110, section 5.6.7).
package struct HTTPDate: Hashable, Sendable {
    /// Seconds since 1970.
    package let seconds: Int64

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The time `seconds` seconds after the beginning of 1970.
    package init(seconds: Int64) {
        self.seconds = seconds
    }

    /// The preferred form: `Sun, 06 Nov 1994 08:49:37 GMT`.
    package var text: String {
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let day = seconds.floorDivided(by: 86_400)
        let second = seconds.floorRemainder(by: 86_400)
        let date = CivilDate(days: day)
        return
            "\(Self.days[Int(CivilDate.dayOfWeek(day))]), \(two(date.day)) \(Self.months[Int(date.month) - 1]) \(date.year) "
            + "\(two(second / 3_600)):\(two(second / 60 % 60)):\(two(second % 60)) GMT"
    }

    /// Reads one of the three forms; nil if the text is none of them or the date does not exist.
    ///
    /// The day of the week is not checked. A year of two digits means 1970 to 2069.
    package init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
        let parts: (day: String, month: String, year: String, time: String)
        switch words.count {
        // Sun, 06 Nov 1994 08:49:37 GMT
        case 6 where words[5] == "GMT" && words[0].hasSuffix(",") && words[1].utf8.count == 2:
            parts = (words[1], words[2], words[3], words[4])
        // Sunday, 06-Nov-94 08:49:37 GMT
        case 4 where words[3] == "GMT" && words[0].hasSuffix(","):
            let date = words[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            guard date.count == 3, date[2].utf8.count == 2, let year = Self.number(date[2]) else { return nil }
            parts = (date[0], date[1], "\(year < 70 ? 2_000 + year : 1_900 + year)", words[2])
        // Sun Nov  6 08:49:37 1994
        case 5: parts = (words[2], words[1], words[4], words[3])
        default: return nil
        }
        let time = parts.time.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard let index = Self.months.firstIndex(of: parts.month), time.count == 3,
            time.allSatisfy({ $0.utf8.count == 2 }),
            parts.year.utf8.count == 4, let day = Self.number(parts.day), let year = Self.number(parts.year),
            let hour = Self.number(time[0]), let minute = Self.number(time[1]), let second = Self.number(time[2])
        else { return nil }
        let month = Int64(index) + 1
        // 60 is a leap second.
        guard year >= 1_970, day >= 1, day <= CivilDate.days(in: month, of: year), hour < 24, minute < 60, second <= 60
        else { return nil }
        seconds = CivilDate(year: year, month: month, day: day).days * 86_400 + hour * 3_600 + minute * 60 + second
    }

    private static func number(_ text: String) -> Int64? {
        text.utf8.count <= 4 && text.utf8.allSatisfy { (48...57).contains($0) } ? Int64(text) : nil
    }
}
