import Reactive
import Testing

struct AllSatisfyTests {
    @Test(arguments: [
        Course("-1-1-|", "^----!", "-----(t|) t:true"),
        Course("-1-2-1-|", "^--!", "---(f|) f:false"),
        Course("---|", "^--!", "---(t|) t:true"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "---#"),
        Course("-1-2-|", "^-!", "-", until: "^-!"),
    ])
    func `allSatisfy delivers false at the first value that does not satisfy, true on completion (Law ALLSATISFY1)`(
        _ course: Course
    ) {
        course.holds { $0.a.allSatisfy { $0 == "1" } }
    }

    @Test func `a closure that throws fails the observable and cancels the source (Law O5)`() {
        Course("-1-x-2-|", "^--!", "---# #:Refused").holds { $0.a.allSatisfy { try accepted($0, true) } }
    }
}
