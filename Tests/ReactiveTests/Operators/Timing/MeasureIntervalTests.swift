import Reactive
import Testing

struct MeasureIntervalTests {
    @Test(arguments: [
        Course("-1-2---3|", "^-------!", "-1-2---4|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "-1-#"),
        Course("-1-2-|", "^!", "-1", until: "^!"),
        Course("---1-|", "--^----!", "-----3-|", until: "--^"),
    ])
    func `measureInterval delivers the time since the previous value, or since the start (Law MEASUREINTERVAL1)`(
        _ course: Course
    ) {
        course.holds { $0.a.measureInterval(by: $0.clock).map { "\($0.components.seconds)" } }
    }
}
