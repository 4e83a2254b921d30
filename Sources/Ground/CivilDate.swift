/// A day of the proleptic Gregorian calendar, without a time zone.
package struct CivilDate: Hashable, Sendable {
    /// The year; 0 is the year before 1.
    package let year: Int64
    /// 1 to 12.
    package let month: Int64
    /// 1 to 31.
    package let day: Int64

    /// Makes a date from its parts, which the caller has checked: `1...12` and `1...days(in: month, of: year)`.
    package init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    // Years are counted from March here: a leap day is then the last of its year, and 400 such years have 146,097 days.

    /// The day `days` days after 1 January 1970.
    package init(days: Int64) {
        let shifted = days + 719_468
        let era = shifted.floorDivided(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Days since 1 January 1970.
    package var days: Int64 {
        let fromMarch = month <= 2 ? year - 1 : year
        let era = fromMarch.floorDivided(by: 400)
        let yearOfEra = fromMarch - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Days since 1 January of the same year.
    package var dayOfYear: Int64 { days - CivilDate(year: year, month: 1, day: 1).days }

    /// The day of the week of a day counted from 1 January 1970; 0 is Sunday.
    package static func dayOfWeek(_ days: Int64) -> Int64 { (days + 4).floorRemainder(by: 7) }

    /// True if the year has 366 days.
    package static func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    /// The number of days in a month, 1 to 12.
    package static func days(in month: Int64, of year: Int64) -> Int64 {
        month == 2 ? (isLeap(year) ? 29 : 28) : month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
    }
}

extension Int64 {
    /// The quotient rounded down, so that it is below zero for a dividend below zero.
    package func floorDivided(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// The remainder of `floorDivided`, never below zero.
    package func floorRemainder(by divisor: Int64) -> Int64 {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
