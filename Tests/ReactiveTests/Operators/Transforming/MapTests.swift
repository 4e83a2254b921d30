import Reactive
import Testing

/// Law MAP1
struct MapTests {
    @Test(arguments: [
        Course("-1-2-|", "^----!", "-a-b-|"),
        Course("---|", "^--!", "---|"),
        Course("|", "*", "|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "-a-#"),
        Course("-1-2-|", "^-!", "-a", until: "^-!"),
    ])
    func `map delivers each transformed value`(_ course: Course) {
        course.holds { $0.a.map { $0 == "1" ? "a" : "b" } }
    }

    @Test(arguments: [Course("-1-x-2-|", "^--!", "-1-# #:Refused")])
    func `a closure that throws fails the observable and cancels the source`(_ course: Course) {
        course.holds { $0.a.map { try accepted($0) } }
    }
}
