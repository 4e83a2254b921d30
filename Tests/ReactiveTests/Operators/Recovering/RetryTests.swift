import Reactive
import Testing

struct RetryTests {
    @Test(arguments: [
        Course("-1-2-|", "^----!", "-1-2-|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--! ---^--! ------^--!", "-1--1--1-#"),
        Course("-1-#", "^--! ---^-!", "-1--1", until: "^----!"),
        Course("#", "* * *", "#"),
    ])
    func `retry restarts after a failure, up to the given number of times (Law RETRY1)`(_ course: Course) {
        course.holds { $0.a.retry(2) }
    }

    @Test(arguments: [0, -1])
    func `with zero retries a failure is delivered (Law RETRY1)`(_ count: Int) {
        Course("-1-#", "^--!", "-1-#").holds { $0.a.retry(count) }
    }

    @Test func `the retries are counted anew at each start (Law RETRY1)`() {
        Course(
            """
            a  -1-#
               ^--!
               ---^--!
               --------^--!
               -----------^--!
            =  -1--1-#
            =  ---------1--1-#
               --------^
            """
        ).holds { $0.a.retry(1) }
    }

    @Test(arguments: [
        Course("-1-|", "^--!", "-1-|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--! -----^--! --------^--!", "-1----1--1-#"),
        Course("-1-#", "^--!", "-1-", until: "^---!"),
        Course("-1-#", "^--! -----^!", "-1----1", until: "^-----!"),
    ])
    func `retry(after:) restarts after each delay until none is left (Law RETRY2)`(_ course: Course) {
        course.holds { $0.a.retry(after: [.seconds(2), .zero], on: $0.clock) }
    }

    @Test func `a source that has failed for good fails at once at each retry (Law RETRY2)`() {
        Course(
            """
            hot a  -1-#
                   ^--!
                   -----*
                   -----*
            =      -1---#
            """
        ).holds { $0.a.retry(after: [.seconds(2), .zero], on: $0.clock) }
    }
}
