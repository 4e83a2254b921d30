import Reactive
import Testing

struct MaterializeTests {
    @Test(arguments: [
        Course("-1-2-|", "^----!", "-1-2-(c|)"),
        Course("---|", "^--!", "---(c|)"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "-1-(f|)"),
        Course("-1-2-|", "^-!", "-1", until: "^-!"),
    ])
    func `materialize delivers each event as a value, then the end (Law MATERIALIZE1)`(_ course: Course) {
        course.holds { laboratory in
            laboratory.a.materialize().map { event in
                switch event {
                case .value(let value): value
                case .end(.completed): "c"
                case .end(.failed): "f"
                }
            }
        }
    }

    @Test(arguments: [
        Course("-1-2-|", "^----!", "-1-2-|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "-1-#"),
        Course("-1-2-|", "^-!", "-1", until: "^-!"),
    ])
    func `dematerialize is the inverse of materialize (Law MATERIALIZE2)`(_ course: Course) {
        course.holds { $0.a.materialize().dematerialize() }
    }

    @Test func `dematerialize ends at an end among the values (Law MATERIALIZE2)`() {
        Course("-1-c-2-|", "^--!", "-1-|").holds { laboratory in
            laboratory.a.map { $0 == "c" ? Event<String>.end(.completed) : .value($0) }.dematerialize()
        }
    }
}
