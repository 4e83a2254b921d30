import Reactive
import Testing

struct CompactMapTests {
    @Test(arguments: [
        Course("-1-2-3-|", "^------!", "-a---c-|"),
        Course("-2-|", "^--!", "---|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-2-#", "^----!", "-a---#"),
        Course("-1-2-3-|", "^--!", "-a", until: "^--!"),
    ])
    func `compactMap delivers each transformed value that is not nil (Law COMPACTMAP1)`(_ course: Course) {
        course.holds { $0.a.compactMap { ["1": "a", "3": "c"][$0] } }
    }

    @Test func `a closure that throws fails the observable and cancels the source (Law O5)`() {
        Course("-1-x-2-|", "^--!", "-1-# #:Refused").holds { $0.a.compactMap { try accepted($0, Optional($0)) } }
    }
}
