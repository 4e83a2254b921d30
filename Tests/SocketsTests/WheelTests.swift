@testable import Sockets
import Testing

@Suite struct WheelTests {
    /// Deadlines on a wheel, each with its number as the serial. One beyond the last slot is set again, as a connection does.
    private final class FiredDeadlines {
        private(set) var wheel = Wheel(now: 0) { _ in }
        private var waiting: [UInt32: Int64] = [:]
        private(set) var deadlines: [Int64] = []

        init(now: Int64 = 0) {
            wheel = Wheel(now: now) { [unowned self] in fire($0) }
        }

        func set(_ deadline: Int64) { set(UInt32(waiting.count + deadlines.count), deadline) }

        private func set(_ number: UInt32, _ deadline: Int64) {
            waiting[number] = deadline
            let fires = wheel.set(Registration(descriptor: 3, serial: number), at: deadline)
            #expect(fires <= deadline)
        }

        private func fire(_ registration: Registration) {
            guard let deadline = waiting[registration.serial] else { return }
            if deadline > now { return set(registration.serial, deadline) }
            waiting[registration.serial] = nil
            deadlines.append(deadline)
        }

        private var now: Int64 = 0

        func advance(to now: Int64) {
            self.now = now
            wheel.advance(to: now)
        }
    }

    @Test func `a deadline fires once, never early and soon after its time`() {
        let told = FiredDeadlines(now: 50)
        #expect(told.wheel.next == nil)
        told.set(250_000_000)
        let next = told.wheel.next ?? 0
        #expect((250_000_000...350_000_000).contains(next))
        told.advance(to: 249_999_999)
        #expect(told.deadlines.isEmpty)
        told.advance(to: next)
        #expect(told.deadlines == [250_000_000] && told.wheel.next == nil)
        told.advance(to: 10 * next)
        #expect(told.deadlines.count == 1)
    }

    @Test func `random deadlines all fire in time, at any distance and any polling interval`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20 {
            let told = FiredDeadlines()
            var set: [Int64] = []
            var now: Int64 = 0
            for round in 0..<200 {
                if round < 150 {
                    for _ in 0..<5 {
                        let deadline = now + Int64.random(in: -1_000_000...400_000_000_000, using: &random)
                        set.append(deadline)
                        told.set(deadline)
                    }
                }
                now += Int64.random(in: 1...9_000_000_000, using: &random)
                // As an event loop does: only when a deadline may be due.
                if let next = told.wheel.next, next <= now { told.advance(to: now) }
                for deadline in told.deadlines { #expect(deadline <= now) }
                let overdue = set.filter { $0 + 2 * Wheel.step <= now }.count
                #expect(told.deadlines.count >= overdue)
            }
            while let next = told.wheel.next { told.advance(to: next) }
            #expect(told.deadlines.sorted() == set.sorted())
        }
    }
}
