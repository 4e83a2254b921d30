import Reactive
import Testing

struct DeferredTests {
    @Test(arguments: [
        Course("-1-2-|", "^----!", "-1-2-|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "-1-#"),
        Course("-1-2-|", "^-!", "-1", until: "^-!"),
    ])
    func `deferred follows the created observable (Law DEFERRED1)`(_ course: Course) {
        course.holds { laboratory in .deferred { laboratory.a } }
    }

    @Test func `deferred creates an observable at each start (Law DEFERRED1)`() {
        let made = Box(0)
        Course("= (1|) \n = ---(2|) \n ---*").holds { _ in
            made.value = 0
            return .deferred {
                made.value += 1
                return .just(made.value)
            }
        }
    }

    @Test func `a closure that throws fails deferred (Law DEFERRED2)`() {
        Course("= # #:Refused").holds { _ in Observable<String>.deferred { throw Refused() } }
    }
}
