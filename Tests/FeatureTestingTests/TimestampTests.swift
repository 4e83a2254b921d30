import StateStore
import Testing

@Suite struct TimestampTests {
    static let texts = [
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z"),
        ("2026-11-21T23:00:00.5+01:00", "2026-11-21T22:00:00.500000Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"),
        ("9999-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.999999Z"),
        ("2024-02-29T00:00:00.123456789Z", "2024-02-29T00:00:00.123456Z"),
        ("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.500000Z"),
    ]

    @Test(arguments: texts)
    func `a time is written in UTC with microseconds`(_ text: String, _ written: String) throws {
        let time = try #require(Timestamp(text))
        #expect("\(time)" == written && Timestamp(written) == time)
    }

    @Test(arguments: [
        "", "2026-11-21", "2026-11-21T22:00:00", "2026-11-21T24:00:00Z", "2026-02-29T00:00:00Z", "2026-11-21t22:00:00z",
        "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00", "2026-11-21T22:00:00.Z", "x",
    ])
    func `another text is no time`(_ text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func `durations move a time, within the years 1 to 9999`() {
        var time = Timestamp(seconds: 100)
        time += .seconds(10)
        time -= .milliseconds(500)
        #expect(time == Timestamp(microseconds: 109_500_000) && time.seconds == 109)
        #expect(time - Timestamp(seconds: 100) == .milliseconds(9_500) && Timestamp(seconds: 100) - time < .zero)
        #expect(Timestamp(microseconds: -1).seconds == -1 && Timestamp(microseconds: -1_000_000).seconds == -1)
        #expect(time + .seconds(Int64.max) == .latest && time - .seconds(Int64.max) == .earliest)
        #expect(time + .seconds(Int64.min) == .earliest)
        #expect(Timestamp(seconds: .max) == .latest && Timestamp(seconds: .min) == .earliest)
        #expect(Timestamp.latest - Timestamp.earliest == .microseconds(315_537_897_599_999_999))
    }

    @Test func `texts sort as their times`() {
        let times = (0..<200).map { Timestamp(microseconds: Int64($0 * $0) * 77_777_777_777 - 9_000_000_000_000) }
        #expect(times.map(\.description).sorted() == times.map(\.description))
    }
}
