import Reactive
import Testing

struct RemoveDuplicatesTests {
    @Test(arguments: [
        Course("-1-1-2-1-|", "^--------!", "-1---2-1-|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-1-#", "^----!", "-1---#"),
        Course("-1-1-2-|", "^---!", "-1", until: "^---!"),
    ])
    func `removeDuplicates drops a value that equals the one before (Law REMOVEDUPLICATES1)`(_ course: Course) {
        course.holds { $0.a.removeDuplicates() }
    }

    @Test(arguments: [
        Course("-a-A-b-a-|", "^--------!", "-a---b-a-|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-a-A-#", "^----!", "-a---#"),
        Course("-a-A-b-|", "^---!", "-a", until: "^---!"),
    ])
    func `a closure may define sameness (Law REMOVEDUPLICATES2)`(_ course: Course) {
        course.holds { $0.a.removeDuplicates { $0.lowercased() == $1.lowercased() } }
    }

    @Test(arguments: [
        Course("-a-A-b-a-|", "^--------!", "-a---b-a-|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-a-A-#", "^----!", "-a---#"),
        Course("-a-A-b-|", "^---!", "-a", until: "^---!"),
    ])
    func `a key may define sameness (Law REMOVEDUPLICATES2)`(_ course: Course) {
        course.holds { $0.a.removeDuplicates(key: { $0.lowercased() }) }
    }

    @Test func `a value is compared with the last delivered one, not with a dropped one (Law REMOVEDUPLICATES2)`() {
        Course("-1-2-3-4-|", "^--------!", "-1---3---|").holds { $0.a.removeDuplicates { Int($1)! - Int($0)! < 2 } }
    }

    @Test func `nil is a value like others (Law REMOVEDUPLICATES1)`() {
        Course("-1-n-n-2-|", "^--------!", "-1-n---2-| n:nil").holds {
            $0.a.map { $0 == "n" ? nil : $0 }.removeDuplicates()
        }
    }

    @Test func `a closure that throws fails the observable and cancels the source (Law O5)`() {
        Course("-1-x-2-|", "^--!", "-1-# #:Refused").holds { $0.a.removeDuplicates { try accepted($1, false) } }
    }

    @Test func `a key that throws fails the observable and cancels the source (Law O5)`() {
        Course("-1-x-2-|", "^--!", "-1-# #:Refused").holds { $0.a.removeDuplicates(key: { try accepted($0) }) }
    }
}
