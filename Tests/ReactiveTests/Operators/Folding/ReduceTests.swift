import Reactive
import Testing

struct ReduceTests {
    @Test(arguments: [
        Course("-1-2-|", "^----!", "-----(x|) x:012"),
        Course("---|", "^--!", "---(0|)"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "---#"),
        Course("-1-2-|", "^---!", "-", until: "^---!"),
    ])
    func `reduce delivers the accumulated value on completion (Law REDUCE1)`(_ course: Course) {
        course.holds { $0.a.reduce("0", +) }
    }

    @Test func `a closure that throws fails the observable and cancels the source (Law O5)`() {
        Course("-1-x-2-|", "^--!", "---# #:Refused").holds { $0.a.reduce("0") { try accepted($1, $0 + $1) } }
    }
}
