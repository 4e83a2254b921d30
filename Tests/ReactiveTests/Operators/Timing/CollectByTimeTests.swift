import Reactive
import Testing

struct CollectByTimeTests {
    @Test(arguments: [
        Course("-12-4-----6-|", "^-----------!", "---x--4-----(6|) x:12"),
        Course("-1----|", "^-----!", "---1--|"),
        Course("-12-4-|", "^-----!", "---x--(4|) x:12"),
        Course("---|", "^--!", "---|"),
        Course("----", "^----!", "-", until: "^----!"),
        Course("-12-4#", "^----!", "---x-# x:12"),
        Course("-12-4-----6-|", "^---!", "---x x:12", until: "^---!"),
    ])
    func `a period's values are delivered at its end, at the completion the rest (Laws COLLECTEVERY1, COLLECTEVERY2)`(_ course: Course) {
        course.holds { $0.a.collect(every: .seconds(3), on: $0.clock) }
    }

    @Test(arguments: [
        Course("---1--2---|", "^---------!", "------x---| x:12"),
        Course(
            """
            hot a  ---1--2---|
                   ^---------!
            =      ---1--2---|
            """),
    ])
    func `in the last second of a period, what was to come first comes (Law COLLECTEVERY1)`(_ course: Course) {
        course.holds { $0.a.collect(every: .seconds(3), on: $0.clock) }
    }
}
