import Reactive
import Testing

struct TimerTests {
    @Test(arguments: [
        (3, Course("= ---(0|)")), (0, Course("= (0|)")), (-1, Course("= (0|)")), (3, Course("= --- \n ^-!")),
        (3, Course("= ----(0|) \n -^")),
    ])
    func `timer delivers 0 after the duration, and the end (Law TIMER1)`(_ seconds: Int, _ course: Course) {
        course.holds { .timer(.seconds(seconds), on: $0.clock) }
    }
}
