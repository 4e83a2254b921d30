import Reactive
import Testing

struct DebounceTests {
    @Test(arguments: [
        Course("-1-2---3----|", "^-----------!", "-----2---3--|"),
        Course("-1---2|", "^-----!", "---1--(2|)"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1---2#", "^-----!", "---1--#"),
        Course("-1---2--|", "^-----!", "---1", until: "^-----!"),
        Course("(12)-----|", "^--------!", "--2------|"),
    ])
    func `debounce delivers a value that no value or end follows within the duration (Laws DEBOUNCE1, DEBOUNCE2)`(
        _ course: Course
    ) {
        course.holds { $0.a.debounce(.seconds(2), on: $0.clock) }
    }

    @Test(arguments: [
        Course("-1-2-3----|", "^---------!", "-------3--|"),
        Course("-1-|", "^--!", "---(1|)"),
        Course("-1-#", "^--!", "---#"),
    ])
    func `a value at the exact end of the duration is in time (Law DEBOUNCE1)`(_ course: Course) {
        course.holds { $0.a.debounce(.seconds(2), on: $0.clock) }
    }

    @Test func `with the shortest duration, the last value of each second is delivered within it (Law DEBOUNCE1)`() {
        Course("-1-(23)-----|", "^-----------!", "-1-3--------|").holds { $0.a.debounce(.zero, on: $0.clock) }
    }
}
