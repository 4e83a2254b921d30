import Expressions
import Ground
import StateModel

/// The times of a schedule that recurs. They follow from the clock alone.
enum Recurrence: Sendable {
    /// The multiples of a period since 1970, moved by a part of the period in each space unless they are exact.
    case period(seconds: Int64, isExact: Bool)
    /// The minutes of a cron expression in a time zone.
    case calendar(CronCalendar, ZoneClock)

    /// The seconds in which a calendar has a time: the weekday of 29 February recurs within 40 years.
    private static let horizon: Int64 = 50 * 366 * 86_400
    /// The longest time for which a change of the clock repeats local times, with an hour to spare.
    private static let repetition: Int64 = 25 * 3_600

    /// Returns the first time after another; nil if there is none. `spread` is the same number for a schedule in a
    /// space at all times, and 0 for one that is not spread.
    func next(after time: Timestamp, spread: UInt64) -> Timestamp? {
        switch self {
        case .period(let seconds, let isExact):
            let (period, offset) = Self.grid(seconds, isExact ? 0 : spread)
            let count = (time.microseconds - offset).floorDivided(by: period) + 1
            return Timestamp(microseconds: offset + count * period)
        case .calendar(let calendar, let clock):
            return Self.next(after: time.seconds, calendar, clock).map { Timestamp(seconds: $0) }
        }
    }

    /// Returns the time up to which every space has had a time after another one; nil if there is none.
    func latest(after time: Timestamp) -> Timestamp? {
        switch self {
        case .period(let seconds, _): time + .seconds(seconds)
        case .calendar: next(after: time, spread: 0)
        }
    }

    /// Returns the last time up to `end`. Precondition: `first` is a time, and not after `end`.
    func last(upTo end: Timestamp, from first: Timestamp, spread: UInt64) -> Timestamp {
        switch self {
        case .period(let seconds, let isExact):
            let (period, offset) = Self.grid(seconds, isExact ? 0 : spread)
            let count = (end.microseconds - offset).floorDivided(by: period)
            return Timestamp(microseconds: offset + count * period)
        case .calendar(let calendar, let clock):
            // The next time after `low` is not after `end`; that after `high` is.
            var low = first.seconds - 1
            var high = end.seconds
            var last = first.seconds
            while high - low > 1 {
                let middle = low + (high - low) / 2
                if let next = Self.next(after: middle, calendar, clock), next <= end.seconds {
                    (low, last) = (middle, next)
                } else {
                    high = middle
                }
            }
            return Timestamp(seconds: last)
        }
    }

    /// The period and the first time since 1970, in microseconds.
    private static func grid(_ seconds: Int64, _ spread: UInt64) -> (period: Int64, offset: Int64) {
        (seconds * 1_000_000, Int64(spread % UInt64(seconds * 1_000)) * 1_000)
    }

    /// Returns the first time after another, in seconds since 1970.
    ///
    /// It walks the spans between changes of the offset. If the hours of the calendar begin with `*`, a local time counts
    /// as often as the clock shows it. Otherwise it counts once: the first time that the clock shows it, or the end of
    /// the gap in which it lies.
    private static func next(after second: Int64, _ calendar: CronCalendar, _ clock: ZoneClock) -> Int64? {
        let end = second + horizon
        var start = second - repetition
        // The local time before which all were shown.
        var shown = Int64.min
        while start < end {
            let offset = clock.offset(at: start)
            let change = clock.change(after: start) ?? .max
            let first = max(max(start, second + 1) + offset, shown)
            let last = min(change, end) + offset
            if let minute = calendar.first(from: minute(first), before: minute(last)) { return minute * 60 - offset }
            guard change < end else { return nil }
            if !calendar.hasAnyHour {
                let after = change + clock.offset(at: change)
                shown = max(shown, change + offset)
                if change > second, calendar.first(from: minute(shown), before: minute(after)) != nil { return change }
            }
            start = change
        }
        return nil
    }

    /// The first whole minute at or after a second.
    private static func minute(_ second: Int64) -> Int64 { (second + 59).floorDivided(by: 60) }
}
