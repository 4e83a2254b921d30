import StateStore

/// A time as RFC 3339 writes it, to the microsecond.
enum TimeText {
    static func text(_ time: Timestamp) -> String {
        let second = time.microseconds.quotientFlooring(by: 1_000_000)
        let microsecond = time.microseconds - second * 1_000_000
        let day = second.quotientFlooring(by: 86_400)
        let ofDay = Int(second - day * 86_400)
        let (year, month, dayOfMonth) = civil(Int(day))
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))T"
            + "\(padded(ofDay / 3_600, 2)):\(padded(ofDay / 60 % 60, 2)):\(padded(ofDay % 60, 2)).\(padded(Int(microsecond), 6))Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    /// The date of a day counted from the beginning of 1970. Years are counted from March on, so that the day that leap years have is the last.
    private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = shifted.quotientFlooring(by: 146_097)
        let ofEra = shifted - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * ofYear + 2) / 153
        let civilMonth = month < 10 ? month + 3 : month - 9
        return (yearOfEra + era * 400 + (civilMonth <= 2 ? 1 : 0), civilMonth, ofYear - (153 * month + 2) / 5 + 1)
    }
}

extension FixedWidthInteger {
    /// The quotient, rounded down.
    func quotientFlooring(by divisor: Self) -> Self {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
