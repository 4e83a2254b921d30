import Reactive
import Testing

struct InstantTests {
    @Test func `addition is clamped to the range of instants (Law C1)`() {
        let last = Instant(nanoseconds: .max)
        #expect(last + .seconds(1) == last)
        #expect(Instant.zero + .seconds(Int64.max) == last)
        #expect(Instant(nanoseconds: .min) + .seconds(-1) == Instant(nanoseconds: .min))
        #expect(Instant.zero + .seconds(Int64.min) == Instant(nanoseconds: .min))
    }

    @Test(arguments: [Duration.zero, .nanoseconds(1), .milliseconds(-7), .seconds(3600)])
    func `the sum of an instant and a distance is the other instant (Law C1)`(_ duration: Duration) {
        let start = Instant(nanoseconds: 1_000_000)
        #expect((start + duration) - start == duration)
        #expect((start < start + duration) == (duration > .zero))
    }
}
