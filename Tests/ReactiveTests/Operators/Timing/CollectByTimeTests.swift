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
    func
        `collect(every:) delivers the values of a period at its end, and the rest on completion (Laws COLLECTEVERY1, COLLECTEVERY2)`(
            _ course: Course
        )
    {
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
    func `in the last second of a period, the alarm or value that was set first comes first (Law COLLECTEVERY1)`(
        _ course: Course
    ) {
        course.holds { $0.a.collect(every: .seconds(3), on: $0.clock) }
    }
}
