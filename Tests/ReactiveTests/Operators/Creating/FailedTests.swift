import Reactive
import Testing

struct FailedTests {
    @Test(arguments: [Course("= #"), Course("= ---# \n ---*")])
    func `the failure alone is delivered, at once (Law FAILED1)`(_ course: Course) {
        course.holds { _ in Observable<String>.failed(Broken()) }
    }
}
