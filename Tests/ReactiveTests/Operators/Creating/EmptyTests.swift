import Reactive
import Testing

struct EmptyTests {
    @Test(arguments: [Course("= |"), Course("= ---| \n ---*")])
    func `empty delivers only the end, at once (Law EMPTY1)`(_ course: Course) {
        course.holds { _ in Observable<String>.empty() }
    }
}
