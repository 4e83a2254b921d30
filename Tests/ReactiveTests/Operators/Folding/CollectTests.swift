import Reactive
import Testing

struct CollectTests {
    @Test(arguments: [
        Course("-1-2-|", "^----!", "-----(x|) x:12"),
        Course("---|", "^--!", "---(x|) x:[]"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "---#"),
        Course("-1-2-|", "^---!", "-", until: "^---!"),
    ])
    func `collect delivers all values as one array on completion (Law COLLECT1)`(_ course: Course) {
        course.holds { $0.a.collect() }
    }

    @Test(arguments: [
        Course("-1-2-3-|", "^------!", "---x---(3|) x:12"),
        Course("-1-2-|", "^----!", "---x-| x:12"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-2-3-#", "^------!", "---x---# x:12"),
        Course("-1-2-3-4-|", "^-----!", "---x- x:12", until: "^-----!"),
    ])
    func `collect(_:) delivers arrays of the given length, and the rest on completion (Law COLLECT2)`(_ course: Course)
    {
        course.holds { $0.a.collect(2) }
    }

    @Test(arguments: [
        (1, Course("-1-2-|", "^----!", "-1-2-|")),
        (0, Course("-1-2-|", "^----!", "-1-2-|")),
        (-1, Course("-1-2-|", "^----!", "-1-2-|")),
    ])
    func `a length below one counts as one (Law COLLECT2)`(_ count: Int, _ course: Course) {
        course.holds { $0.a.collect(count) }
    }
}
