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
    func `it is begun anew at a failure, up to a number of times (Law RETRY1)`(_ course: Course) {
        course.holds { $0.a.retry(2) }
    }

    @Test(arguments: [0, -1])
    func `without times left a failure is a failure (Law RETRY1)`(_ count: Int) {
        Course("-1-#", "^--!", "-1-#").holds { $0.a.retry(count) }
    }

    @Test func `the times are counted anew with each start (Law RETRY1)`() {
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
    func `it is begun anew after one delay and then the next, until none is left (Law RETRY2)`(_ course: Course) {
        course.holds { $0.a.retry(after: [.seconds(2), .zero], on: $0.clock) }
    }

    @Test func `of a source that is over for good, each time is a failure at once (Law RETRY2)`() {
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
