import Reactive
import Testing

struct NeverTests {
    @Test(arguments: [Course("= - \n ^---!"), Course("= - \n *")])
    func `never delivers nothing (Law NEVER1)`(_ course: Course) {
        course.holds { _ in Observable<String>.never() }
    }
}
