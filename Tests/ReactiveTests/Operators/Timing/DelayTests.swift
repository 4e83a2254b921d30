import Reactive
import Testing

struct DelayTests {
    @Test(arguments: [
        Course("-1-2-|", "^----!", "---1-2-|"),
        Course("-12|", "^--!", "---12|"),
        Course("-(1|)", "^!", "---(1|)"),
        Course("---|", "^--!", "-----|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-2---|", "^---!", "---1", until: "^---!"),
        Course("-1|", "^-!", "---", until: "^-!"),
    ])
    func `delay delivers each value and the completion later by the duration (Law DELAY1)`(_ course: Course) {
        course.holds { $0.a.delay(.seconds(2), on: $0.clock) }
    }

    @Test(arguments: [Course("-1--2#", "^----!", "---1-#"), Course("-1-#", "^--!", "---#"), Course("#", "*", "#")])
    func `a failure is not delayed, and drops the waiting values (Law DELAY2)`(_ course: Course) {
        course.holds { $0.a.delay(.seconds(2), on: $0.clock) }
    }

    @Test(arguments: [0, -2])
    func `without a duration each value is delivered in its second (Law DELAY1)`(_ seconds: Int) {
        Course("-1-(23)---|", "^---------!", "-1-(23)---|").holds { $0.a.delay(.seconds(seconds), on: $0.clock) }
    }

    /// Laws DELAY3, T9: by height, a joint sees the last value of a turn; on arrival, it sees each one (Law T10).
    @Test func `events due at the same time are delivered in one turn`() {
        let combined: (Laboratory) -> Observable<(String, String)> = { laboratory in
            combineLatest(laboratory.a.delay(.seconds(2), on: laboratory.clock), .just("0"))
        }
        Course("-(12)----|", "^--------!", "---y-------| y:20").holds(in: [.byHeight], combined)
        Course("-(12)----|", "^--------!", "---(xy)----| x:10 y:20").holds(in: [.onArrival], combined)
    }

    @Test func `a listener that has enough releases the waiting values (Law C4)`() {
        Course("-123|", "^--!", "---(1|)").holds { $0.a.delay(.seconds(2), on: $0.clock).prefix(1) }
    }
}
