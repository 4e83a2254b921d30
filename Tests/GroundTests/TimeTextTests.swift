import Ground
import Testing

@Suite struct TimeTextTests {
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func `each form of a header's date is read`(text: String) {
        #expect(HTTPDate(text)?.seconds == 784_111_777)
    }

    @Test func `a date is written in the preferred form and read again`() {
        #expect(HTTPDate(seconds: 784_111_777).text == "Sun, 06 Nov 1994 08:49:37 GMT")
        for seconds in stride(from: Int64(0), through: 5_000_000_000, by: 12_345_677) {
            #expect(HTTPDate(HTTPDate(seconds: seconds).text)?.seconds == seconds)
        }
    }

    @Test(arguments: [
        "", "now", "Sun, 31 Feb 2026 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 99999 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1969 08:49:37 GMT",
        "Sun, 06 Nov ١٩٩٤ 08:49:37 GMT",
    ])
    func `a text that is no date is refused`(text: String) {
        #expect(HTTPDate(text) == nil)
    }

    @Test func `a time is written with six decimals, before 1970 too`() {
        #expect(RFC3339.text(microseconds: 0) == "1970-01-01T00:00:00.000000Z")
        #expect(RFC3339.text(microseconds: -1) == "1969-12-31T23:59:59.999999Z")
        #expect(RFC3339.text(microseconds: 1_700_000_000_000_001) == "2023-11-14T22:13:20.000001Z")
    }
}
