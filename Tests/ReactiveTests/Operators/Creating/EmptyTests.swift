import Reactive
import Testing

struct EmptyTests {
    @Test(arguments: [Course("= |"), Course("= ---| \n ---*")])
    func `the end alone is delivered, at once (Law EMPTY1)`(_ course: Course) {
        course.holds { _ in Observable<String>.empty() }
    }
}
