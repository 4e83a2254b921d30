import Reactive
import Testing

struct PrefixTests {
    @Test(arguments: [
        Course("-1-2-3-|", "^--!", "-1-(2|)"),
        Course("-1-|", "^--!", "-1-|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "-1-#"),
        Course("-1-2-|", "^-!", "-1", until: "^-!"),
    ])
    func `prefix delivers the first values, and the end with the last of them (Law PREFIX1)`(_ course: Course) {
        course.holds { $0.a.prefix(2) }
    }

    @Test(arguments: [
        (0, Course("-1-2-|", "", "|")),
        (-1, Course("-1-2-|", "", "|")),
    ])
    func `prefix of zero values does not subscribe (Law PREFIX1)`(_ count: Int, _ course: Course) {
        course.holds { $0.a.prefix(count) }
    }

    @Test(arguments: [
        Course("-1-1-2-1-|", "^----!", "-1-1-|"),
        Course("-1-1-|", "^----!", "-1-1-|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "-1-#"),
        Course("-1-2-1-|", "^-!", "-1", until: "^-!"),
    ])
    func `prefix(while:) delivers the values before the first that does not satisfy the condition (Law PREFIXWHILE1)`(
        _ course: Course
    ) {
        course.holds { $0.a.prefix(while: { $0 == "1" }) }
    }

    @Test func `a closure that throws fails the observable and cancels the source (Law O5)`() {
        Course("-1-x-2-|", "^--!", "-1-# #:Refused").holds { $0.a.prefix(while: { try accepted($0, true) }) }
    }
}
