import Reactive
import Testing

struct LastTests {
    @Test(arguments: [
        Course("-1-2-|", "^----!", "-----(2|)"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "---#"),
        Course("-1-2-|", "^---!", "-", until: "^---!"),
    ])
    func `last delivers the last value on completion (Law LAST1)`(_ course: Course) {
        course.holds { $0.a.last() }
    }

    @Test(arguments: [
        Course("-1-2-1-2-3-|", "^----------!", "-----------(2|)"),
        Course("-1-|", "^--!", "---|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-2-#", "^--!", "---#"),
        Course("-2-|", "^-!", "-", until: "^-!"),
    ])
    func `last(where:) delivers the last value that satisfies the condition on completion (Law LAST1)`(_ course: Course)
    {
        course.holds { $0.a.last(where: { $0 == "2" }) }
    }

    @Test func `a last value of nil is a value (Law LAST1)`() {
        Course("-1-n-|", "^----!", "-----(n|) n:nil").holds { $0.a.map { $0 == "n" ? nil : $0 }.last() }
    }

    @Test func `a closure that throws fails the observable and cancels the source (Law O5)`() {
        Course("-1-x-2-|", "^--!", "---# #:Refused").holds { $0.a.last(where: { try accepted($0, true) }) }
    }
}
