import Reactive
import Testing

struct ReplaceEmptyTests {
    @Test(arguments: [
        Course("-1-2-|", "^----!", "-1-2-|"),
        Course("---|", "^--!", "---(0|)"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "-1-#"),
        Course("---#", "^--!", "---#"),
        Course("-1-2-|", "^-!", "-1", until: "^-!"),
    ])
    func `replaceEmpty delivers a value on completion without one (Law REPLACEEMPTY1)`(_ course: Course) {
        course.holds { $0.a.replaceEmpty(with: "0") }
    }
}
