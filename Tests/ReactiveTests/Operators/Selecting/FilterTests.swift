import Reactive
import Testing

struct FilterTests {
    @Test(arguments: [
        Course("-1-2-1-|", "^------!", "-1---1-|"),
        Course("-2-|", "^--!", "---|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-2-#", "^----!", "-1---#"),
        Course("-1--1-|", "^--!", "-1", until: "^--!"),
    ])
    func `filter forwards the values that satisfy the condition (Law FILTER1)`(_ course: Course) {
        course.holds { $0.a.filter { $0 == "1" } }
    }

    @Test func `a closure that throws fails the observable and cancels the source (Law O5)`() {
        Course("-1-x-2-|", "^--!", "-1-# #:Refused").holds { $0.a.filter { try accepted($0, true) } }
    }
}
