import Reactive
import Testing

struct VirtualSchedulerTests {
    @Test func `each alarm fires at its own time (Laws C1, C3)`() {
        let clock = VirtualScheduler()
        var gone: [Int] = []
        for second in [3, 1, 2, 9] {
            clock.set(Alarm(at: .zero + .seconds(second)) { _ in gone.append(clock.now.second * 10 + second) })
        }
        clock.advance(to: .zero + .seconds(5))
        #expect(gone == [11, 22, 33])
        #expect(clock.now.second == 5)
        #expect(clock.next?.second == 9)
        clock.advance(by: .seconds(3))
        #expect(gone.count == 3)
        clock.advance(by: .seconds(1))
        #expect(gone == [11, 22, 33, 99])
    }

    @Test func `an alarm set by another fires if it is due, after those set before it (Law C1)`() {
        let clock = VirtualScheduler()
        var gone: [String] = []
        clock.set(
            Alarm(at: .zero + .seconds(1)) { _ in
                gone.append("first")
                clock.set(Alarm(at: clock.now) { _ in gone.append("third") })
                clock.set(Alarm(at: clock.now + .seconds(1)) { _ in gone.append("fourth") })
                clock.set(Alarm(at: clock.now + .seconds(2)) { _ in gone.append("too late") })
            })
        clock.set(Alarm(at: .zero + .seconds(1)) { _ in gone.append("second") })
        clock.advance(to: .zero + .seconds(2))
        #expect(gone == ["first", "second", "third", "fourth"])
        #expect(clock.count == 1)
    }

    @Test func `an alarm cancelled by another of the same time does not fire (Law C2)`() {
        let clock = VirtualScheduler()
        var gone: [String] = []
        let victim = Alarm(at: .zero + .seconds(1)) { _ in gone.append("victim") }
        clock.set(Alarm(at: .zero + .seconds(1)) { _ in victim.cancel() })
        clock.set(victim)
        clock.advance(to: .zero + .seconds(2))
        #expect(gone == [])
        #expect(clock.count == 0)
    }

    @Test func `time never goes back (Law C3)`() {
        let clock = VirtualScheduler(now: .zero + .seconds(5))
        var gone: [Int] = []
        clock.set(Alarm(at: .zero + .seconds(1)) { _ in gone.append(clock.now.second) })
        clock.advance(to: .zero)
        #expect(gone == [])
        clock.advance(by: .zero)
        #expect(gone == [5])
        clock.advance(to: .zero)
        #expect(clock.now.second == 5)
    }

    @Test func `run() ends when no alarm is set, or at the limit (Law C3)`() {
        let clock = VirtualScheduler()
        var count = 0
        func again(_ left: Int) {
            clock.set(
                Alarm(at: clock.now + .seconds(3600)) { _ in
                    count += 1
                    if left > 1 { again(left - 1) }
                })
        }
        again(10)
        clock.run()
        #expect(count == 10)
        #expect(clock.now.second == 36_000)
        again(3)
        clock.run(until: clock.now + .seconds(7200))
        #expect(count == 12)
        #expect(clock.count == 1)
        clock.run()
        #expect(count == 13)
    }

    @Test func `the same events give the same result (Law C3)`() {
        func play() -> [String] {
            let laboratory = Laboratory()
            let interval = { (seconds: Int) in
                Observable<Int>.interval(.seconds(seconds), on: laboratory.clock).map { $0 * seconds }
            }
            let all = merge(interval(2).delay(.seconds(3), on: laboratory.clock), interval(3), interval(5)).throttle(
                .seconds(2), on: laboratory.clock, latest: true)
            return laboratory.watch(all, over: [Span("^" + String(repeating: "-", count: 80) + "!")!])[0].lines
        }
        let first = play()
        #expect(first.count > 20)
        for _ in 0..<5 { #expect(play() == first) }
    }

    @Test func `an operator leaves no alarm after its last observer, at any time (Law C4)`() {
        let operators: [(Observable<String>, VirtualScheduler) -> Observable<String>] = [
            { $0.debounce(.seconds(2), on: $1) }, { $0.delay(.seconds(2), on: $1) },
            { $0.timeout(.seconds(9), on: $1) },
            { $0.throttle(.seconds(2), on: $1, latest: true) }, { $0.throttle(.seconds(2), on: $1, latest: false) },
            { $0.collect(every: .seconds(2), on: $1).map { $0.joined() } }, { $0.receive(on: $1) },
            { $0.retry(after: [.seconds(2), .seconds(2)], on: $1) },
            { source, clock in merge(source, Observable<Int>.interval(.seconds(1), on: clock).map { "\($0)" }) },
            { source, clock in source.prepend(Observable<Int>.timer(.seconds(1), on: clock).map { "\($0)" }) },
        ]
        for stop in 0..<12 {
            for (number, make) in operators.enumerated() {
                let laboratory = Laboratory()
                laboratory.add("a", Marble(events: [(1, .value("1")), (2, .value("2")), (6, .failure)]), isHot: false)
                _ = laboratory.watch(
                    make(laboratory.a, laboratory.clock), over: [Span(from: .zero, to: .zero + .seconds(stop))])
                #expect(laboratory.clock.count == 0, "operator \(number), stopped at \(stop)")
                #expect(laboratory.graph.activeCount == 0, "operator \(number), stopped at \(stop)")
            }
        }
    }
}
