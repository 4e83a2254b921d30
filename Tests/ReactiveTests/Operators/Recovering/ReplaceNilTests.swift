import Reactive
import Testing

struct ReplaceNilTests {
    @Test(arguments: [
        Course("-1-n-2-|", "^------!", "-1-0-2-|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-n-#", "^--!", "-0-#"),
        Course("-1-n-|", "^-!", "-1", until: "^-!"),
    ])
    func `replaceNil delivers another value for nil (Law REPLACENIL1)`(_ course: Course) {
        course.holds { $0.a.map { $0 == "n" ? nil : $0 }.replaceNil(with: "0") }
    }
}
