import Glibc
import Ground
import Testing

@Suite struct CivilDateTests {
    /// The date of a day as the C library has it.
    private func reference(_ days: Int64) -> CivilDate {
        var seconds = time_t(days * 86_400)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return CivilDate(year: Int64(parts.tm_year) + 1_900, month: Int64(parts.tm_mon) + 1, day: Int64(parts.tm_mday))
    }

    @Test func `a day is the date that the C library says, in both directions`() {
        for days in stride(from: Int64(-800_000), through: 3_000_000, by: 37) {
            let date = CivilDate(days: days)
            #expect(date == reference(days), "\(days)")
            #expect(date.days == days)
        }
    }

    @Test func `a month has its days, and a leap year one more`() {
        #expect((1...12).map { CivilDate.days(in: $0, of: 2_023) }.reduce(0, +) == 365)
        #expect((1...12).map { CivilDate.days(in: $0, of: 2_024) }.reduce(0, +) == 366)
        #expect([1_900, 2_000, 2_100, 2_400].map(CivilDate.isLeap) == [false, true, false, true])
        #expect(CivilDate(year: 2_024, month: 12, day: 31).dayOfYear == 365)
    }

    @Test func `the first of January 1970 was a Thursday, and the day before a Wednesday`() {
        #expect(CivilDate.dayOfWeek(0) == 4)
        #expect(CivilDate.dayOfWeek(-1) == 3)
        #expect(CivilDate.dayOfWeek(-5) == 6)
    }
}
