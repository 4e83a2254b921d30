import Reactive
import Testing

struct ScanTests {
    @Test(arguments: [
        Course("-1-2-3-|", "^------!", "-a-b-c-| a:01 b:012 c:0123"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "-a-# a:01"),
        Course("-1--2-|", "^--!", "-a- a:01", until: "^--!"),
    ])
    func `scan delivers the accumulated value with each value, without the initial one (Law SCAN1)`(_ course: Course) {
        course.holds { $0.a.scan("0", +) }
    }

    @Test func `a closure that throws fails the observable and cancels the source (Law O5)`() {
        Course("-1-x-2-|", "^--!", "-a-# a:01 #:Refused").holds { $0.a.scan("0") { try accepted($1, $0 + $1) } }
    }

    @Test func `scan begins anew at each start (Law SCAN2)`() {
        Course(
            """
            a  -1-2-|
               ^----!
               ------^----!
            =  -x-y-|         x:01 y:012
            =  -------x-y-|   x:01 y:012
               ------^
            """
        ).holds { $0.a.scan("0", +) }
    }
}
