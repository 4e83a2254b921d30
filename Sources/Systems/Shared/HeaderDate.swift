/// A date in a header field, in any of the three formats of RFC 9110, section 5.6.7.
struct HeaderDate {
    /// The time in seconds since 1970.
    let seconds: Int

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Parses a date; nil if the text is not one. The weekday is ignored. A two-digit year below 70 belongs to the
    /// century after 2000, because no date here precedes 1970.
    init?(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        let parts: (day: String, month: String, year: String, time: String)
        switch words.count {
        // Example: Sun, 06 Nov 1994 08:49:37 GMT
        case 6 where words[5] == "GMT" && words[0].hasSuffix(",") && words[1].utf8.count == 2:
            parts = (words[1], words[2], words[3], words[4])
        // Example: Sunday, 06-Nov-94 08:49:37 GMT
        case 4 where words[3] == "GMT" && words[0].hasSuffix(","):
            let date = words[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            guard date.count == 3, date[2].utf8.count == 2, let year = Self.number(date[2]) else { return nil }
            parts = (date[0], date[1], "\(year < 70 ? 2_000 + year : 1_900 + year)", words[2])
        // Example: Sun Nov  6 08:49:37 1994
        case 5: parts = (words[2], words[1], words[4], words[3])
        default: return nil
        }
        let time = parts.time.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard let month = Self.months.firstIndex(of: parts.month), time.count == 3,
            time.allSatisfy({ $0.utf8.count == 2 }),
            parts.year.utf8.count == 4, let day = Self.number(parts.day), let year = Self.number(parts.year),
            let hour = Self.number(time[0]),
            let minute = Self.number(time[1]), let second = Self.number(time[2]), (1...31).contains(day), year >= 1_970,
            hour < 24,
            // Second 60 is a leap second.
            minute < 60, second <= 60
        else { return nil }
        seconds = Self.days(year, month + 1, day) * 86_400 + hour * 3_600 + minute * 60 + second
    }

    private static func number(_ text: String) -> Int? {
        text.utf8.allSatisfy { (48...57).contains($0) } ? Int(text) : nil
    }

    /// Returns the days from 1970 to a date. Years count from March, so that a leap day ends its year.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let marchYear = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
    }
}
