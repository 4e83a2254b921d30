import Reactive
import Testing

struct ContainsTests {
    @Test(arguments: [
        Course("-1-1-|", "^----!", "-----(f|) f:false"),
        Course("-1-2-1-|", "^--!", "---(t|) t:true"),
        Course("---|", "^--!", "---(f|) f:false"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "---#"),
        Course("-1-2-|", "^-!", "-", until: "^-!"),
    ])
    func `contains delivers true at the value, false on completion (Law CONTAINS1)`(_ course: Course) {
        course.holds { $0.a.contains("2") }
    }

    @Test(arguments: [
        Course("-1-1-|", "^----!", "-----(f|) f:false"),
        Course("-1-2-1-|", "^--!", "---(t|) t:true"),
        Course("---|", "^--!", "---(f|) f:false"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "---#"),
        Course("-1-2-|", "^-!", "-", until: "^-!"),
    ])
    func `contains delivers true at the first value that satisfies the condition (Law CONTAINS1)`(_ course: Course) {
        course.holds { $0.a.contains(where: { $0 > "1" }) }
    }

    @Test func `a closure that throws fails the observable and cancels the source (Law O5)`() {
        Course("-1-x-2-|", "^--!", "---# #:Refused").holds { $0.a.contains(where: { try accepted($0, false) }) }
    }
}
