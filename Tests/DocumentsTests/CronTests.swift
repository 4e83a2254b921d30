import Expressions
import Platform
import StateStore
import Testing

@testable import Documents

/// Law DOC6: a calendar has the times that its clock shows, each once a showing.
struct CronTests {
    init() { ZoneDatabase.use(SystemZones.read) }

    private static let zones = [
        "UTC", "+05:30", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Australia/Lord_Howe",
        "Pacific/Apia", "Africa/Casablanca",
    ]
    /// Days of changes: of spring and autumn in Europe and America, of the day that Apia left out, of Ramadan.
    private static let days = ["2026-03-28", "2026-10-24", "2026-03-07", "2018-11-03", "2011-12-29", "2026-02-14"]

    /// The times in seconds of a cron expression within minutes, found minute by minute.
    private func walked(_ text: String, _ clock: ZoneClock, from start: Int64, minutes: Int64) -> [Int64] {
        let fields = text.split(separator: " ").map(String.init)
        let sets = [0...59, 0...23, 1...31, 1...12, 0...7].enumerated().map { Self.values(fields[$0], in: $1) }
        func isSelected(_ minute: Int64) -> Bool {
            guard sets[0].contains(Int(minute % 60)), sets[1].contains(Int(minute / 60 % 24)) else { return false }
            let parts = Timestamp(seconds: minute * 60).description
            func part(_ from: Int, _ count: Int) -> Int { Int(parts.dropFirst(from).prefix(count)) ?? -1 }
            guard sets[3].contains(part(5, 2)) else { return false }
            // 1 January 1970 was a Thursday.
            let weekday = Int((minute / 1_440 + 4) % 7)
            let isDay = sets[2].contains(part(8, 2))
            let isWeekday = sets[4].contains(weekday) || weekday == 0 && sets[4].contains(7)
            return fields[2].first == "*" || fields[4].first == "*" ? isDay && isWeekday : isDay || isWeekday
        }
        var found: [Int64] = []
        var shown = Int64.min
        for minute in start / 60 - 1_600..<start / 60 + minutes {
            let local = minute + clock.offset(at: minute * 60) / 60
            let new: ClosedRange<Int64>? =
                fields[1].first == "*" || shown == .min ? local...local : local > shown ? shown + 1...local : nil
            shown = max(shown, local)
            if minute * 60 > start, new?.contains(where: isSelected) == true { found.append(minute * 60) }
        }
        return found
    }

    private static func values(_ field: String, in range: ClosedRange<Int>) -> Set<Int> {
        var values: Set<Int> = []
        for item in field.split(separator: ",") {
            let parts = item.split(separator: "/").map(String.init)
            let ends =
                parts[0] == "*"
                ? [range.lowerBound, range.upperBound] : parts[0].split(separator: "-").compactMap { Int($0) }
            let step = parts.count > 1 ? Int(parts[1]) ?? 1 : 1
            values.formUnion(stride(from: ends[0], through: ends[ends.count - 1], by: step))
        }
        return values
    }

    private static func field(_ range: ClosedRange<Int>, _ random: inout Randomness) -> String {
        func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
        func value() -> Int { range.lowerBound + pick(range.count) }
        func item() -> String {
            switch pick(5) {
            case 0: return "*/\(1 + pick(range.count))"
            case 1:
                let ends = [value(), value()].sorted()
                return "\(ends[0])-\(ends[1])" + (pick(2) == 0 ? "/\(1 + pick(6))" : "")
            default: return "\(value())"
            }
        }
        return pick(3) == 0 ? "*" : (0...pick(3)).map { _ in item() }.joined(separator: ",")
    }

    @Test func `the times of a calendar are those of a walk through all minutes`() throws {
        var random = Randomness(seed: 26)
        var count = 0
        for round in 0..<160 {
            let text = [
                Self.field(0...59, &random), Self.field(0...5, &random), Self.field(1...31, &random),
                round % 3 == 0 ? Self.field(1...12, &random) : "*", Self.field(0...6, &random),
            ].joined(separator: " ")
            guard let calendar = try? CronReader.calendar(text) else { continue }
            let zone = Self.zones[round % Self.zones.count]
            let clock = try #require(ZoneClock(zone))
            let day = Self.days[Int(random.next() % UInt64(Self.days.count))]
            let start = try #require(Timestamp("\(day)T00:00:00Z")).seconds + Int64(random.next() % 7_200) - 3_600
            let minutes: Int64 = 3 * 1_440
            let recurrence = Recurrence.calendar(calendar, clock)
            var found: [Int64] = []
            var time = Timestamp(seconds: start)
            while let next = recurrence.next(after: time, spread: 9), next.seconds < (start / 60 + minutes) * 60 {
                found.append(next.seconds)
                time = next
            }
            let model = walked(text, clock, from: start, minutes: minutes)
            #expect(found == model, "\(text) in \(zone) from \(Timestamp(seconds: start))")
            count += model.count
            guard found == model, let first = found.first else { continue }
            let end = Timestamp(seconds: start + Int64(random.next() % UInt64(minutes * 60)))
            guard end.seconds >= first else { continue }
            let last = recurrence.last(upTo: end, from: Timestamp(seconds: first), spread: 9)
            #expect(last.seconds == found.last { $0 <= end.seconds }, "\(text) in \(zone) up to \(end)")
        }
        #expect(count > 2_000)
    }

    /// The next times of an expression after a time, as texts.
    private func times(_ text: String, _ zone: String, after start: String, _ count: Int) throws -> [String] {
        let recurrence = Recurrence.calendar(try CronReader.calendar(text), try #require(ZoneClock(zone)))
        var time = try #require(Timestamp(start))
        return try (0..<count).map { _ in
            time = try #require(recurrence.next(after: time, spread: 0))
            return String("\(time)".prefix(16))
        }
    }

    @Test func `a local time that does not exist fires at the end of the gap`() throws {
        #expect(
            try times("30 2 * * *", "Europe/Berlin", after: "2026-03-28T00:00:00Z", 3)
                == ["2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"])
        // The four times of the gap are one.
        #expect(
            try times("*/15 2,3 * * *", "Europe/Berlin", after: "2026-03-29T00:00:00Z", 3)
                == ["2026-03-29T01:00", "2026-03-29T01:15", "2026-03-29T01:30"])
    }

    @Test func `a local time that exists twice fires the first time`() throws {
        #expect(
            try times("30 2 * * *", "Europe/Berlin", after: "2026-10-24T12:00:00Z", 2)
                == ["2026-10-25T00:30", "2026-10-26T01:30"])
    }

    @Test func `a schedule of every hour follows the clock`() throws {
        #expect(
            try times("30 * * * *", "Europe/Berlin", after: "2026-10-24T23:00:00Z", 4)
                == ["2026-10-24T23:30", "2026-10-25T00:30", "2026-10-25T01:30", "2026-10-25T02:30"])
        #expect(
            try times("30 * * * *", "Europe/Berlin", after: "2026-03-28T23:00:00Z", 4)
                == ["2026-03-28T23:30", "2026-03-29T00:30", "2026-03-29T01:30", "2026-03-29T02:30"])
    }

    @Test func `names, Sundays and rare days are read`() throws {
        #expect(
            try times("0 9 * Jan,MAR-apr mon-Fri/2", "UTC", after: "2026-01-29T09:00:00Z", 3)
                == ["2026-01-30T09:00", "2026-03-02T09:00", "2026-03-04T09:00"])
        #expect(try times("0 0 * * 7", "UTC", after: "2026-11-21T00:00:00Z", 1) == ["2026-11-22T00:00"])
        #expect(try times("0 0 29 2 *", "UTC", after: "2096-03-01T00:00:00Z", 1) == ["2104-02-29T00:00"])
        #expect(
            try times("0 0 13 * fri", "UTC", after: "2026-11-12T12:00:00Z", 2)
                == ["2026-11-13T00:00", "2026-11-20T00:00"])
        // 29 February, of the days that are a Sunday.
        #expect(try times("0 0 29 2 */7", "UTC", after: "2088-03-01T00:00:00Z", 1) == ["2128-02-29T00:00"])
    }

    @Test(arguments: [
        "", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8",
        "5/15 * * * *", "*/0 * * * *", "*/-1 * * * *", "1-  * * * *", "5-1 * * * *", ",1 * * * *", "1,, * * * *",
        "1/2/3 * * * *", "@daily", "x * * * *", "* * * mon *", "0 0 30 2 *", "0 0 31 4,6,9,11 *",
        "99999999999999999999 * * * *", "*-5 * * * *", "١ * * * *",
    ])
    func `a text that is no calendar is refused`(_ text: String) throws {
        #expect(throws: CronReader.CronFault.self) { try CronReader.calendar(text) }
    }

    @Test func `a long text is refused by its size`() throws {
        let text = String(repeating: "1,", count: 100_000) + "1 * * * *"
        #expect(throws: CronReader.CronFault.self) { try CronReader.calendar(text) }
    }
}
