import Reactive
import Testing

struct DropTests {
    @Test(arguments: [
        Course("-1-2-3-|", "^------!", "-----3-|"),
        Course("-1-|", "^--!", "---|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "---#"),
        Course("-1-2-3-4-|", "^-----!", "-----3", until: "^-----!"),
    ])
    func `dropFirst drops the first values (Law DROPFIRST1)`(_ course: Course) {
        course.holds { $0.a.dropFirst(2) }
    }

    @Test(arguments: [
        (0, Course("-1-2-|", "^----!", "-1-2-|")),
        (-1, Course("-1-2-|", "^----!", "-1-2-|")),
    ])
    func `a negative number of values to drop counts as zero (Law DROPFIRST1)`(_ count: Int, _ course: Course) {
        course.holds { $0.a.dropFirst(count) }
    }

    @Test(arguments: [
        Course("-1-1-2-1-|", "^--------!", "-----2-1-|"),
        Course("-1-1-|", "^----!", "-----|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "---#"),
        Course("-1-2-1-|", "^---!", "---2", until: "^---!"),
    ])
    func `drop(while:) delivers from the first value that does not satisfy the condition (Law DROPWHILE1)`(
        _ course: Course
    ) {
        course.holds { $0.a.drop(while: { $0 == "1" }) }
    }

    @Test func `the condition is not called after that (Law DROPWHILE1)`() {
        Course("-2-x-|", "^----!", "-2-x-|").holds { $0.a.drop(while: { try accepted($0, false) }) }
    }

    @Test func `a closure that throws fails the observable and cancels the source (Law O5)`() {
        Course("-1-x-2-|", "^--!", "---# #:Refused").holds { $0.a.drop(while: { try accepted($0, true) }) }
    }
}
