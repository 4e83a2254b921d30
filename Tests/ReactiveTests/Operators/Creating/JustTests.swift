import Reactive
import Testing

struct JustTests {
    @Test(arguments: [Course("= (1|)"), Course("= ---(1|) \n ---*")])
    func `just delivers the value and the end at once (Law JUST1)`(_ course: Course) {
        course.holds { _ in .just("1") }
    }
}
