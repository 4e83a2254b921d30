import Reactive
import Testing

struct AfterTests {
    @Test func `an alarm that fires within a turn and is cancelled in it does nothing after it (Law C2)`() {
        let graph = Graph()
        let clock = VirtualScheduler()
        let timer = Observable<Int>.timer(.seconds(3), on: clock)
        let subject = Subject<Int>()
        var told: [String] = []
        var second: Subscription?
        let first = timer.watch(in: graph) { _ in told.append("first \(clock.now.second)") }
        let watching = subject.watch(in: graph) { _ in
            second = timer.watch(in: graph) { _ in told.append("second \(clock.now.second)") }
            clock.advance(by: .seconds(3))
            first.cancel()
        }
        subject.send(1)
        #expect(told == [])
        clock.advance(by: .seconds(3))
        #expect(told == ["second 6"])
        watching.cancel()
        second?.cancel()
        #expect(clock.count == 0)
        #expect(graph.activeCount == 0)
    }

    @Test func `an alarm that fires within a turn is processed after it (Law T5)`() {
        let graph = Graph()
        let clock = VirtualScheduler()
        let subject = Subject<Int>()
        var told: [String] = []
        let timing = Observable<Int>.timer(.seconds(3), on: clock).watch(in: graph) { _ in told.append("timer") }
        let watching = subject.watch(in: graph) { _ in
            clock.advance(by: .seconds(3))
            told.append("subject")
        }
        subject.send(1)
        #expect(told == ["subject", "timer"])
        watching.cancel()
        timing.cancel()
        #expect(graph.activeCount == 0)
    }
}
