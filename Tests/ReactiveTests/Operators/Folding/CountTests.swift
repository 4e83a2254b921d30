import Reactive
import Testing

struct CountTests {
    @Test(arguments: [
        Course("-1-2-|", "^----!", "-----(2|)"),
        Course("---|", "^--!", "---(0|)"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "---#"),
        Course("-1-2-|", "^---!", "-", until: "^---!"),
    ])
    func `count delivers the number of values on completion (Law COUNT1)`(_ course: Course) {
        course.holds { $0.a.count() }
    }
}
