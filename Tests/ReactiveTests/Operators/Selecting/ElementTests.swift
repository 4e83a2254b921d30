import Reactive
import Testing

struct ElementTests {
    @Test(arguments: [
        Course("-1-2-3-|", "^--!", "---(2|)"),
        Course("-1-|", "^--!", "---|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "---#"),
        Course("-1-2-|", "^-!", "-", until: "^-!"),
    ])
    func `element delivers the value at the index and the end; with fewer values, only the end (Law ELEMENT1)`(
        _ course: Course
    ) {
        course.holds { $0.a.element(at: 1) }
    }

    @Test func `the first index is 0 (Law ELEMENT1)`() {
        Course("-1-2-|", "^!", "-(1|)").holds { $0.a.element(at: 0) }
    }

    @Test func `a negative index has no value (Law ELEMENT1)`() {
        Course("-1-2-|", "", "|").holds { $0.a.element(at: -1) }
    }
}
