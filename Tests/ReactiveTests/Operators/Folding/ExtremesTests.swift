import Reactive
import Testing

struct ExtremesTests {
    @Test(arguments: [
        Course("-2-1-3-|", "^------!", "-------(1|)"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "---#"),
        Course("-1-2-|", "^---!", "-", until: "^---!"),
    ])
    func `min delivers the smallest value on completion (Law MIN1)`(_ course: Course) {
        course.holds { $0.a.min() }
    }

    @Test func `min delivers the first of equally small values (Law MIN2)`() {
        Course("-b-a-A-|", "^------!", "-------(a|)").holds { $0.a.min { $0.lowercased() < $1.lowercased() } }
    }

    @Test func `a closure of min that throws fails the observable and cancels the source (Law O5)`() {
        Course("-1-x-2-|", "^--!", "---# #:Refused").holds { $0.a.min { try accepted($0, true) && accepted($1, true) } }
    }

    @Test(arguments: [
        Course("-2-1-3-|", "^------!", "-------(3|)"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "---#"),
        Course("-1-2-|", "^---!", "-", until: "^---!"),
    ])
    func `max delivers the largest value on completion (Law MAX1)`(_ course: Course) {
        course.holds { $0.a.max() }
    }

    @Test func `max delivers the first of equally large values (Law MAX2)`() {
        Course("-b-C-c-|", "^------!", "-------(C|)").holds { $0.a.max { $0.lowercased() < $1.lowercased() } }
    }

    @Test func `a closure of max that throws fails the observable and cancels the source (Law O5)`() {
        Course("-1-x-2-|", "^--!", "---# #:Refused").holds { $0.a.max { try accepted($0, true) && accepted($1, true) } }
    }
}
