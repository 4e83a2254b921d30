import Ground
import Testing

struct RFC3339Tests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("1970-01-01t00:00:01.5z", 1_500_000), ("1969-12-31 23:59:59.999999Z", -1),
        ("2000-02-29T12:00:00+01:00", 951_822_000_000_000), ("2016-12-31T23:59:60Z", 1_483_228_800_000_000),
        ("1970-01-01T00:00:00.1234567Z", 123_456), ("1970-01-01T00:00:00-00:30", 1_800_000_000),
        ("1970-01-01T01:00:00 01:00", 0), ("0000-01-01T00:00:00Z", -62_167_219_200_000_000),
    ]) func `a time is read`(_ text: String, _ microseconds: Int64) {
        #expect(RFC3339.microseconds(of: text) == microseconds)
    }

    @Test func `a time that was written is read as it was`() {
        var number: Int64 = 1
        for _ in 0..<1_000 {
            number = (number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407)
            let time = number % 60_000_000_000_000_000
            #expect(RFC3339.microseconds(of: RFC3339.text(microseconds: time)) == time)
        }
    }

    @Test(arguments: [
        "", "2026", "2026-11-21", "2026-11-21T22:00:00", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z",
        "2026-11-21T24:00:00Z", "2026-11-21T22:60:00Z", "2026-11-21T22:00:61Z", "2026-11-21T22:00:00.Z",
        "2026-11-21T22:00:00+1:00", "2026-11-21T22:00:00Zx", "26-11-21T22:00:00Z", "2026-11-21T22:00:00+24:00",
        "２026-11-21T22:00:00Z",
    ]) func `other texts are none`(_ text: String) {
        #expect(RFC3339.microseconds(of: text) == nil)
    }
}
