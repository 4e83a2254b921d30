import Reactive
import Testing

struct IntervalTests {
    @Test(arguments: [Course("= --0-1-2 \n ^-----!"), Course("= - \n ^!"), Course("= -----0-1 \n ---^---!")])
    func `interval delivers the numbers from 0 on, one after each period (Law INTERVAL1)`(_ course: Course) {
        course.holds { .interval(.seconds(2), on: $0.clock) }
    }

    @Test func `an interval that is cancelled by its own value leaves no alarm (Law INTERVAL1)`() {
        Course("= --0-(1|)").holds { Observable<Int>.interval(.seconds(2), on: $0.clock).prefix(2) }
    }

    @Test(arguments: [
        (1, ["3 0", "3 1", "3 2", "6 3", "6 4", "6 5"]), (2, ["3 0", "6 1", "6 2"]), (4, ["6 0", "9 1", "12 2"]),
    ])
    func `a late alarm does not delay later ones (Law INTERVAL2)`(_ seconds: Int, _ told: [String]) {
        let laboratory = Laboratory()
        let interval = Observable<Int>.interval(.seconds(seconds), on: LateScheduler(laboratory.clock))
        #expect(laboratory.watch(interval, over: [Span("^------------!")!])[0].lines.prefix(told.count) == told[...])
    }
}
