import Reactive
import Testing

struct FailedTests {
    @Test(arguments: [Course("= #"), Course("= ---# \n ---*")])
    func `failed delivers only the failure, at once (Law FAILED1)`(_ course: Course) {
        course.holds { _ in Observable<String>.failed(Broken()) }
    }
}
