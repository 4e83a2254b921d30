import Reactive
import Testing

struct FirstTests {
    @Test(arguments: [
        Course("-1-2-|", "^!", "-(1|)"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("--#", "^-!", "--#"),
        Course("--1-|", "^!", "-", until: "^!"),
    ])
    func `first delivers the first value and the end (Law FIRST1)`(_ course: Course) {
        course.holds { $0.a.first() }
    }

    @Test(arguments: [
        Course("-1-2-3-2-|", "^--!", "---(2|)"),
        Course("-1-|", "^--!", "---|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "---#"),
        Course("-1-2-|", "^-!", "-", until: "^-!"),
    ])
    func `first(where:) delivers the first value that satisfies the condition, and the end (Law FIRST1)`(
        _ course: Course
    ) {
        course.holds { $0.a.first(where: { $0 == "2" }) }
    }

    @Test func `a closure that throws fails the observable and cancels the source (Law O5)`() {
        Course("-1-x-2-|", "^--!", "---# #:Refused").holds { $0.a.first(where: { try accepted($0, false) }) }
    }
}
