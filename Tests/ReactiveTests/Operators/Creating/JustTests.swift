import Reactive
import Testing

struct JustTests {
    @Test(arguments: [Course("= (1|)"), Course("= ---(1|) \n ---*")])
    func `the value and the end are delivered at once (Law JUST1)`(_ course: Course) {
        course.holds { _ in .just("1") }
    }
}
