import Ground
import JSON
import Testing

@testable import Expressions

/// Calendar, timestamps, durations and zones.
struct TimeTests {
    @Test func `days and dates convert both ways`() {
        for days in stride(from: Int64(-719_162), through: 2_932_896, by: 97) {
            let date = CivilDate(days: days)
            #expect(date.days == days)
            #expect(1...12 ~= date.month && 1...CivilDate.days(in: date.month, of: date.year) ~= date.day)
        }
        #expect(CivilDate(days: -719_162) == CivilDate(year: 1, month: 1, day: 1))
        #expect(CivilDate(days: 2_932_896) == CivilDate(year: 9999, month: 12, day: 31))
    }

    // A lock that wrapped the host's function at each access would run out of stack here.
    @Test func `many names of no zone leave the next one as cheap`() {
        for number in 0..<200_000 { #expect(ZoneDatabase.read("Nowhere/X\(number)") == nil) }
    }

    @Test func `the text of a timestamp parses to the same timestamp`() throws {
        var random = SplitMix64(seed: 3)
        for _ in 0..<2_000 {
            let moment = try #require(
                CELTimestamp(
                    seconds: Int64.random(in: CELTimestamp.range, using: &random),
                    nanoseconds: Int32.random(in: 0..<1_000_000_000, using: &random)))
            #expect(CELTimestamp(moment.description) == moment)
        }
    }

    @Test func `the text of a duration parses to the same duration`() {
        var random = SplitMix64(seed: 4)
        for _ in 0..<2_000 {
            let period = CELDuration(
                nanoseconds: Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<64, using: &random)
            )
            #expect(CELDuration(period.description) == period)
        }
        #expect(CELDuration(nanoseconds: .min).description == "-9223372036.854775808s")
    }

    @Test(arguments: [
        "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:60Z",
        "2026-01-01 00:00:00Z",
        "2026-01-01T00:00:00",
        "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+24:00", "2026-1-1T00:00:00Z", "", "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01", "2026-01-01T00:00:00Zx",
    ])
    func `an invalid timestamp is nil`(_ text: String) {
        #expect(CELTimestamp(text) == nil)
    }

    @Test(arguments: [
        "", "1", "s", "1x", "1s1", "1.5.5s", "--1s", "+", "1e3s", "9223372037s", "99999999999999999999999h", " 1s",
    ])
    func `an invalid duration is nil`(_ text: String) {
        #expect(CELDuration(text) == nil)
    }

    @Test(arguments: [
        ("1h30m", 5_400_000_000_000), ("1.5s", 1_500_000_000), ("-20ms", -20_000_000), ("1us2ns", 1_002),
        ("1µs", 1_000), ("0", 0),
        (".5s", 500_000_000),
    ])
    func `a duration has units`(_ text: String, _ nanoseconds: Int) {
        #expect(CELDuration(text)?.nanoseconds == Int64(nanoseconds))
    }

    @Test(arguments: [
        ("Europe/Paris", "2026-03-29T00:59:59Z", 1), ("Europe/Paris", "2026-03-29T01:00:00Z", 3),
        ("Europe/Paris", "2026-10-25T00:59:59Z", 2),
        ("Europe/Paris", "2026-10-25T01:00:00Z", 2), ("Europe/Paris", "2145-07-01T12:00:00Z", 14),
        ("America/New_York", "1999-07-01T12:00:00Z", 8),
        ("Australia/Sydney", "2026-01-01T00:00:00Z", 11), ("Australia/Sydney", "2026-07-01T00:00:00Z", 10),
        ("Asia/Kathmandu", "2026-01-01T00:00:00Z", 5),
        ("UTC", "2026-01-01T05:00:00Z", 5), ("+02:00", "2026-01-01T05:00:00Z", 7),
        ("-09:30", "2026-01-01T05:00:00Z", 19),
        ("02:00", "2026-01-01T05:00:00Z", 7),
    ])
    func `the hour is that of the zone`(_ zone: String, _ time: String, _ hour: Int) {
        #expect(outcome("timestamp('\(time)').getHours('\(zone)')") == "\(hour)")
    }

    @Test(arguments: [
        "Nowhere/City", "../../etc/passwd", "/etc/passwd", "Europe", "+25:00", "+1", "zone.tab", "Europe/Paris\\u0000",
    ])
    func `an invalid zone name is rejected, and no other file is read`(_ zone: String) {
        #expect(outcome("timestamp('2026-01-01T00:00:00Z').getHours('\(zone)')").contains("unknown time zone"))
    }

    @Test func `zone rules of every form are parsed`() throws {
        // Paris; New York; summer time all year; days by number; a name in brackets and times beyond a day.
        let paris = try #require(ZoneRule(Array("CET-1CEST,M3.5.0,M10.5.0/3".utf8)))
        #expect(paris.offset(at: 1_774_746_000) == 7200)
        #expect(paris.offset(at: 1_774_745_999) == 3600)
        let south = try #require(ZoneRule(Array("<-03>3<-02>,M10.3.0/0,M2.4.0/-1:30".utf8)))
        #expect(south.offset(at: 1_767_225_600) == -7200)
        #expect(south.offset(at: 1_782_864_000) == -10_800)
        #expect(ZoneRule(Array("IST-5:30".utf8))?.offset(at: 0) == 19_800)
        #expect(ZoneRule(Array("A".utf8)) == nil)
        #expect(ZoneRule(Array("EST5EDT,M13.1.0,M11.1.0".utf8)) == nil)
        let julian = try #require(ZoneRule(Array("AAA0BBB,J60/0,300/0".utf8)))
        #expect(julian.offset(at: CivilDate(year: 2024, month: 3, day: 1).days * 86_400) == 3600)
        #expect(julian.offset(at: CivilDate(year: 2024, month: 2, day: 29).days * 86_400) == 0)
    }

    @Test func `an invalid zone file is nil, whatever its content`() {
        var random = SplitMix64(seed: 9)
        #expect(ZoneFile.table([]) == nil)
        for _ in 0..<5_000 {
            var bytes = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
            for _ in 0..<Int.random(in: 0..<200, using: &random) {
                bytes.append(
                    Bool.random(using: &random)
                        ? UInt8.random(in: 0...3, using: &random) : UInt8.random(in: 0...255, using: &random))
            }
            _ = ZoneFile.table(bytes)
        }
    }
}
