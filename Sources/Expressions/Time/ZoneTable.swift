internal import Ground

/// The offset changes of a time zone (RFC 8536) and the rule after the last change.
struct ZoneTable: Sendable {
    /// The offset before the first change.
    let first: Int64
    /// The changes in order of time: seconds since 1970 and the offset from then on.
    let changes: [(at: Int64, offset: Int64)]
    /// The rule after the last change.
    let rule: ZoneRule?

    func offset(at seconds: Int64) -> Int64 {
        var low = 0
        var high = changes.count
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].at <= seconds { low = middle + 1 } else { high = middle }
        }
        if low == changes.count, let rule { return rule.offset(at: seconds) }
        return low == 0 ? first : changes[low - 1].offset
    }

    /// Returns the first time after another at which the offset changes; nil if it never does.
    func change(after seconds: Int64) -> Int64? {
        var low = 0
        var high = changes.count
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].at <= seconds { low = middle + 1 } else { high = middle }
        }
        // Some changes concern the name of the zone only.
        for change in changes[low...] where offset(at: change.at - 1) != offset(at: change.at) { return change.at }
        return rule?.change(after: max(seconds, changes.last?.at ?? seconds))
    }
}

/// A rule for every year, in the syntax of the POSIX variable TZ: `CST6CDT,M3.2.0,M11.1.0`.
struct ZoneRule: Sendable {
    let standard: Int64
    let summer: Summer?

    /// Daylight saving time.
    struct Summer: Sendable {
        let offset: Int64
        let start: Day
        let end: Day
    }

    /// A day of the year and a time of that day.
    struct Day: Sendable {
        let rule: DayRule
        let time: Int64

        enum DayRule: Sendable {
            /// The day from 1; 29 February is not counted.
            case julian(Int64)
            /// The day from 0; 29 February is counted.
            case zeroBased(Int64)
            /// The week from 1, 5 for the last; the weekday from 0 for Sunday.
            case weekday(month: Int64, week: Int64, day: Int64)
        }

        /// Returns the time in a year, in seconds since 1970 by local time.
        func seconds(in year: Int64) -> Int64 {
            let newYear = CivilDate(year: year, month: 1, day: 1).days
            let day: Int64
            switch rule {
            case .julian(let count): day = newYear + count - 1 + (CivilDate.isLeap(year) && count >= 60 ? 1 : 0)
            case .zeroBased(let count): day = newYear + count
            case .weekday(let month, let week, let weekday):
                let start = CivilDate(year: year, month: month, day: 1).days
                let first = (weekday - CivilDate.dayOfWeek(start)).floorRemainder(by: 7)
                var place = first + (week - 1) * 7
                if place >= CivilDate.days(in: month, of: year) { place -= 7 }
                day = start + place
            }
            return day * 86_400 + time
        }
    }

    func offset(at seconds: Int64) -> Int64 {
        guard let summer else { return standard }
        let year = CivilDate(days: (seconds + standard).floorDivided(by: 86_400)).year
        let start = summer.start.seconds(in: year) - standard
        let end = summer.end.seconds(in: year) - summer.offset
        let isSummer = start < end ? start <= seconds && seconds < end : !(end <= seconds && seconds < start)
        return isSummer ? summer.offset : standard
    }

    /// Returns the first time after another at which the offset changes; nil if it never does.
    func change(after seconds: Int64) -> Int64? {
        guard let summer else { return nil }
        let year = CivilDate(days: seconds.floorDivided(by: 86_400)).year
        return (year - 1...year + 2).flatMap {
            [summer.start.seconds(in: $0) - standard, summer.end.seconds(in: $0) - summer.offset]
        }.filter { $0 > seconds && offset(at: $0 - 1) != offset(at: $0) }.min()
    }
}

extension ZoneRule {
    /// Parses a TZ text; nil if it has another form.
    init?(_ text: [UInt8]) {
        var reader = ZoneRuleReader(rest: text[...])
        guard reader.name(), let west = reader.time() else { return nil }
        standard = -west
        if reader.rest.isEmpty {
            summer = nil
            return
        }
        guard reader.name() else { return nil }
        var offset = standard + 3600
        if reader.rest.first != UInt8(ascii: ",") {
            guard let west = reader.time() else { return nil }
            offset = -west
        }
        guard reader.take(","), let start = reader.day(), reader.take(","), let end = reader.day(), reader.rest.isEmpty
        else { return nil }
        summer = Summer(offset: offset, start: start, end: end)
    }

    /// A reader of the parts of a TZ text.
    private struct ZoneRuleReader {
        var rest: ArraySlice<UInt8>

        mutating func take(_ letter: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: letter) else { return false }
            rest.removeFirst()
            return true
        }

        mutating func name() -> Bool {
            if take("<") {
                while let byte = rest.popFirst(), byte != UInt8(ascii: ">") {}
                return true
            }
            let letters = rest.prefix { ($0 | 0x20) &- UInt8(ascii: "a") < 26 }
            rest.removeFirst(letters.count)
            return letters.count >= 3
        }

        mutating func number() -> Int64? {
            let digits = rest.prefix { $0 &- 48 < 10 }
            guard 1...4 ~= digits.count else { return nil }
            rest.removeFirst(digits.count)
            return digits.reduce(0) { $0 * 10 + Int64($1 - 48) }
        }

        /// Reads `[+-]hh[:mm[:ss]]`, in seconds.
        mutating func time() -> Int64? {
            let sign: Int64 = take("-") ? -1 : 1
            if sign > 0 { _ = take("+") }
            guard let hours = number() else { return nil }
            var total = hours * 3600
            for unit: Int64 in [60, 1] where take(":") {
                guard let count = number() else { return nil }
                total += count * unit
            }
            return sign * total
        }

        mutating func day() -> Day? {
            let rule: Day.DayRule
            if take("M") {
                guard let month = number(), 1...12 ~= month, take("."), let week = number(), 1...5 ~= week, take("."),
                    let day = number(),
                    day < 7
                else { return nil }
                rule = .weekday(month: month, week: week, day: day)
            } else {
                let isJulian = take("J")
                guard let count = number(), count <= 366 else { return nil }
                rule = isJulian ? .julian(count) : .zeroBased(count)
            }
            guard take("/") else { return Day(rule: rule, time: 7200) }
            return time().map { Day(rule: rule, time: $0) }
        }
    }
}
