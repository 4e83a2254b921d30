import Reactive
import Testing

struct TimeoutTests {
    @Test(arguments: [
        Course("-1-2--3-|", "^-------!", "-1-2--3-|"),
        Course("--|", "^-!", "--|"),
        Course("-1-----2-|", "^---!", "-1--# #:TimeoutError"),
        Course("-", "^--!", "---# #:TimeoutError"),
        Course("-1-#", "^--!", "-1-#"),
        Course("-1-2-|", "^!", "-1", until: "^!"),
    ])
    func `timeout fails if neither a value nor the end comes within the duration (Law TIMEOUT1)`(_ course: Course) {
        course.holds { $0.a.timeout(.seconds(3), on: $0.clock) }
    }

    @Test(arguments: [
        Course("---1-|", "^--!", "---# #:TimeoutError"),
        Course(
            """
            hot a  ---1--2-|
                   ^-------!
            =      ---1--2-|
            """),
        Course("-1--2--3--|", "^---------!", "-1--2--3--|"),
    ])
    func `in the last second of the duration, the alarm or event that was set first comes first (Law TIMEOUT1)`(
        _ course: Course
    ) {
        course.holds { $0.a.timeout(.seconds(3), on: $0.clock) }
    }

    @Test func `an alarm caused by a value fires before the end of the wait for the next (Law TIMEOUT2)`() {
        let clock = VirtualScheduler()
        let input = Observable.interval(.seconds(5), on: clock).prepend(7)
        let first = Witness(
            of: input.timeout(.seconds(1), on: clock).delay(.seconds(1), on: clock).first(),
            in: Graph(order: .onArrival))
        clock.advance(by: .seconds(1))
        #expect(first.values == [7])
        #expect(first.ends == ["completed"])
    }

    @Test func `the failure has the duration of the wait (Law TIMEOUT1)`() {
        let laboratory = Laboratory()
        let recording = laboratory.watch(
            Observable<Int>.never().timeout(.seconds(3), on: laboratory.clock), over: [Span("^")!])[0]
        #expect(recording.error as? TimeoutError == TimeoutError(duration: .seconds(3)))
    }
}
