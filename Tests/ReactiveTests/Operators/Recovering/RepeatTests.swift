import Reactive
import Testing

struct RepeatTests {
    @Test(arguments: [
        Course("-1-|", "^--! ---^--! ------^-!", "-1--1--1", until: "^-------!"),
        Course("-1-#", "^--!", "-1-#"),
        Course("----", "^---!", "-", until: "^---!"),
    ])
    func `repeat restarts after a completion, and not after a failure (Law REPEAT1)`(_ course: Course) {
        course.holds { $0.a.repeat() }
    }

    @Test func `repeat uses constant memory for any number of restarts (Law REPEAT1)`() {
        let graph = Graph()
        let clock = VirtualScheduler()
        var count = 0
        let subscription = Observable<Int>.timer(.seconds(1), on: clock).repeat().watch(in: graph) { _ in count += 1 }
        clock.advance(by: .seconds(1_000))
        let active = graph.activeCount
        clock.advance(by: .seconds(9_000))
        #expect(count == 10_000 && graph.activeCount == active && clock.count == 1)
        subscription.cancel()
        #expect(graph.activeCount == 0)
    }
}
