import Ground

/// The minutes that a cron expression selects, by local time.
///
/// If neither the days of the month nor the weekdays begin with `*`, a day that is one of either is selected; otherwise
/// it must be both.
struct CronCalendar: Hashable, Sendable {
    /// The sets of the five fields: bit `n` stands for the value `n`.
    let minutes: UInt64
    let hours: UInt64
    let days: UInt64
    let months: UInt64
    let weekdays: UInt64
    /// True if the hours begin with `*`.
    let hasAnyHour: Bool
    /// True if the days of the month or the weekdays begin with `*`.
    let needsBothDays: Bool

    private static let minutesOfDay: Int64 = 1_440

    /// Returns true if a day has selected minutes.
    func contains(_ date: CivilDate) -> Bool {
        guard Self.bit(date.month, of: months) else { return false }
        let isDay = Self.bit(date.day, of: days)
        let isWeekday = Self.bit(CivilDate.dayOfWeek(date.days), of: weekdays)
        return needsBothDays ? isDay && isWeekday : isDay || isWeekday
    }

    /// Returns the first selected minute from one on and before another, in minutes since 1970 by local time; nil if
    /// there is none. The work is O(days).
    func first(from start: Int64, before end: Int64) -> Int64? {
        var day = start.floorDivided(by: Self.minutesOfDay)
        var ofDay = start - day * Self.minutesOfDay
        while day * Self.minutesOfDay < end {
            let date = CivilDate(days: day)
            if contains(date), let minute = firstMinute(from: ofDay) {
                let found = day * Self.minutesOfDay + minute
                return found < end ? found : nil
            }
            let isMonth = Self.bit(date.month, of: months)
            day += isMonth ? 1 : CivilDate.days(in: date.month, of: date.year) - date.day + 1
            ofDay = 0
        }
        return nil
    }

    /// Returns the first selected minute of a selected day from one on.
    private func firstMinute(from start: Int64) -> Int64? {
        for hour in start / 60..<24 where Self.bit(hour, of: hours) {
            let first = hour == start / 60 ? start % 60 : 0
            let left = minutes >> UInt64(first)
            if left != 0 { return hour * 60 + first + Int64(left.trailingZeroBitCount) }
        }
        return nil
    }

    private static func bit(_ place: Int64, of set: UInt64) -> Bool { set >> UInt64(place) & 1 == 1 }

    /// True if a day of the next half century is selected.
    var isPossible: Bool {
        let start = CivilDate(year: 2000, month: 1, day: 1).days
        return (start..<start + 50 * 366).contains { contains(CivilDate(days: $0)) }
    }
}
