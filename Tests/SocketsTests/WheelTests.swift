@testable import Sockets
import Testing

@Suite struct WheelTests {
    private final class FiredDeadlines {
        var deadlines: [Int64] = []
    }

    private func registration(_ number: UInt32) -> Registration { Registration(descriptor: 3, serial: number) }

    @Test func `a deadline fires once, never early and soon after its time`() {
        let told = FiredDeadlines()
        let wheel = Wheel(now: 50) { told.deadlines.append($1) }
        #expect(wheel.next == nil)
        wheel.set(registration(1), at: 250_000_000)
        let next = wheel.next ?? 0
        #expect((250_000_000...350_000_000).contains(next))
        wheel.advance(to: 249_999_999)
        #expect(told.deadlines.isEmpty)
        wheel.advance(to: next)
        #expect(told.deadlines == [250_000_000] && wheel.next == nil)
        wheel.advance(to: 10 * next)
        #expect(told.deadlines.count == 1)
    }

    @Test func `random deadlines all fire in time, at any distance and any polling interval`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20 {
            let told = FiredDeadlines()
            let wheel = Wheel(now: 0) { told.deadlines.append($1) }
            var set: [Int64] = []
            var now: Int64 = 0
            for round in 0..<200 {
                if round < 150 {
                    for _ in 0..<5 {
                        let deadline = now + Int64.random(in: -1_000_000...400_000_000_000, using: &random)
                        set.append(deadline)
                        wheel.set(registration(1), at: deadline)
                    }
                }
                now += Int64.random(in: 1...9_000_000_000, using: &random)
                // As an event loop does: only when a deadline may be due.
                if let next = wheel.next, next <= now { wheel.advance(to: now) }
                for deadline in told.deadlines { #expect(deadline <= now) }
                let overdue = set.filter { $0 + 2 * Wheel.step <= now }.count
                #expect(told.deadlines.count >= overdue)
            }
            while let next = wheel.next { wheel.advance(to: next) }
            #expect(told.deadlines.sorted() == set.sorted())
        }
    }
}
