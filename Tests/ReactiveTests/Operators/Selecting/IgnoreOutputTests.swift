import Reactive
import Testing

struct IgnoreOutputTests {
    @Test(arguments: [
        Course("-1-2-|", "^----!", "-----|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "---#"),
        Course("-1-2-|", "^-!", "-", until: "^-!"),
    ])
    func `ignoreOutput delivers only the end (Law IGNOREOUTPUT1)`(_ course: Course) {
        course.holds { $0.a.ignoreOutput() }
    }
}
