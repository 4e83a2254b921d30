import Reactive
import Testing

struct ThrottleTests {
    @Test(arguments: [
        Course("-12-----345---|", "^-------------!", "-1------3-----|"),
        Course("-12|", "^--!", "-1-|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-12#", "^--!", "-1-#"),
        Course("-12-----3-|", "^---!", "-1", until: "^---!"),
    ])
    func `throttle delivers the first value and none within the duration after it (Law THROTTLE1)`(_ course: Course) {
        course.holds { $0.a.throttle(.seconds(3), on: $0.clock, latest: false) }
    }

    @Test(arguments: [
        Course("-12-----345---|", "^-------------!", "-1--2---3--5--|"),
        Course("-12-----3-|", "^---------!", "-1--2---3-|"),
        Course("-1-2-3-4-5---|", "^------------!", "-1--2--4--5--|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-12#", "^--!", "-1-#"),
        Course("-12-----3-|", "^-!", "-1", until: "^-!"),
    ])
    func `throttle with latest delivers the last value within the duration at its end (Law THROTTLE2)`(_ course: Course)
    {
        course.holds { $0.a.throttle(.seconds(3), on: $0.clock, latest: true) }
    }

    @Test(arguments: [
        Course("-12|", "^--!", "-1--(2|)"),
        Course("-1|", "^-!", "-1|"),
        Course("-1-23-4|", "^------!", "-1--3--(4|)"),
        Course("-12|", "^--!", "-1-", until: "^--!"),
    ])
    func `the completion follows the waiting value (Law THROTTLE3)`(_ course: Course) {
        course.holds { $0.a.throttle(.seconds(3), on: $0.clock, latest: true) }
    }

    @Test func `a value at the exact end of the duration is delivered at once (Laws THROTTLE1, THROTTLE2)`() {
        Course("-1--2--3--|", "^---------!", "-1--2--3--|").holds {
            $0.a.throttle(.seconds(3), on: $0.clock, latest: false)
        }
        Course("-1--2--3--|", "^---------!", "-1--2--3--|").holds {
            $0.a.throttle(.seconds(3), on: $0.clock, latest: true)
        }
        Course("-12-3--4--|", "^---------!", "-1--3--4--|").holds {
            $0.a.throttle(.seconds(3), on: $0.clock, latest: true)
        }
    }

    @Test func `a value that waits for a late scheduler is replaced by the next that is in time (Law THROTTLE2)`()
        throws
    {
        let laboratory = Laboratory()
        laboratory.add("a", try Marble("-12--(34)----|"), isHot: true)
        let throttled = laboratory.a.throttle(.seconds(3), on: LateScheduler(laboratory.clock), latest: true)
        #expect(laboratory.watch(throttled, over: [Span("^")!])[0].lines == ["1 1", "5 3", "9 4", "13 |"])
    }

    @Test func `a duration of zero holds back no value (Law THROTTLE1)`() {
        Course("-1-(23)--|", "^--------!", "-1-(23)--|").holds { $0.a.throttle(.zero, on: $0.clock, latest: false) }
    }
}
