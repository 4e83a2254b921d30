import Reactive
import Testing

struct ReplaceErrorTests {
    @Test(arguments: [
        Course("-1-2-|", "^----!", "-1-2-|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "-1-(0|)"),
        Course("#", "*", "(0|)"),
        Course("-1-2-#", "^-!", "-1", until: "^-!"),
    ])
    func `replaceError delivers a value and the end instead of a failure (Law REPLACEERROR1)`(_ course: Course) {
        course.holds { $0.a.replaceError(with: "0") }
    }
}
