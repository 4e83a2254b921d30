import Platform
import StateStore
import Testing

@testable import HeadwaterServer

/// Law CALM2: the time of commits never goes back.
struct SteadyClockTests {
    /// The clocks of a machine that a test sets, in seconds.
    private final class Machine: Sendable {
        private let clocks = Lock((wall: Int64(1_000_000), boot: Int64(50)))

        func pass(_ seconds: Int64) { clocks.with { ($0.wall, $0.boot) = ($0.wall + seconds, $0.boot + seconds) } }
        func jump(_ seconds: Int64) { clocks.with { $0.wall += seconds } }
        var wall: Int64 { clocks.with { $0.wall } }
        var reading: SteadyClock.ClockReading {
            clocks.with { SteadyClock.ClockReading(wall: $0.wall * 1_000_000, boot: $0.boot * 1_000_000) }
        }
    }

    private let machine = Machine()

    private func clock(notBefore floor: Timestamp? = nil) -> SteadyClock {
        SteadyClock(notBefore: floor) { [machine] in machine.reading }
    }

    @Test func `it is the wall clock, and follows small steps forward at once`() {
        let clock = clock()
        machine.pass(7)
        #expect(clock.now.seconds == machine.wall)
        machine.jump(9)
        #expect(clock.now.seconds == machine.wall && clock.look() == [])
    }

    @Test func `after a jump back it goes on from where it was until the wall clock has caught up`() {
        let clock = clock()
        let before = clock.now.seconds
        machine.jump(-86_400)
        machine.pass(100)
        #expect(clock.now.seconds == before + 100)
        #expect(clock.look() == [.ahead(seconds: 86_400)] && clock.aheadSeconds == 86_400)
        machine.jump(86_395)
        #expect(clock.now.seconds == before + 100)
        machine.jump(10)
        #expect(clock.now.seconds == machine.wall && clock.look() == [.caughtUp])
    }

    @Test func `a great step forward is followed after it has held for a minute`() {
        let clock = clock()
        let before = clock.now.seconds
        machine.jump(2_592_000)
        #expect(clock.look() == [.held(seconds: 2_592_000)])
        machine.pass(59)
        #expect(clock.look() == [] && clock.now.seconds == before + 59)
        machine.pass(1)
        #expect(clock.look() == [.followed(seconds: 2_592_000)])
        #expect(clock.now.seconds == machine.wall)
    }

    @Test func `a step forward and back is never followed`() {
        let clock = clock()
        let before = clock.now.seconds
        machine.jump(2_592_000)
        _ = clock.look()
        machine.pass(30)
        machine.jump(-2_592_000)
        #expect(clock.look() == [.released])
        machine.pass(60)
        #expect(clock.look() == [] && clock.now.seconds == before + 90)
    }

    @Test func `the operator makes it follow the wall clock back`() {
        let clock = clock()
        machine.jump(-3_600)
        _ = clock.look()
        let before = clock.accept()
        #expect(before.seconds == machine.wall + 3_600 && clock.now.seconds == machine.wall)
        #expect(clock.look() == [.accepted(seconds: -3_600)])
    }

    @Test func `it does not begin before the newest commit`() {
        let floor = Timestamp(seconds: 2_000_000)
        let clock = clock(notBefore: floor)
        #expect(clock.now == floor)
        machine.pass(5)
        #expect(
            clock.now.seconds == 2_000_005 && self.clock(notBefore: Timestamp(seconds: 3)).now.seconds == machine.wall)
    }

    @Test func `a start follows the newest commit unless the operator has accepted an earlier time since`() throws {
        let folder = try SiteFolder()
        let acceptance = ClockAcceptance(folder.path)
        let newest = Timestamp(seconds: 2_000_000)
        #expect(acceptance.floor(newest: nil) == nil && acceptance.floor(newest: newest) == newest)
        try acceptance.ask()
        #expect(acceptance.isAsked && acceptance.floor(newest: newest) == nil && !acceptance.isAsked)
        #expect(acceptance.floor(newest: newest) == nil)
        #expect(acceptance.floor(newest: newest + .seconds(1)) == newest + .seconds(1))
    }
}
