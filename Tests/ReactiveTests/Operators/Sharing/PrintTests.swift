import Reactive
import Testing

struct PrintTests {
    @Test(arguments: [
        (Course("-1-2-|", "^----!", "-1-2-|"), ["x: started", "x: 1", "x: 2", "x: completed"]),
        (Course("---|", "^--!", "---|"), ["x: started", "x: completed"]),
        (Course("----", "^---!", "-", until: "^---!"), ["x: started", "x: stopped"]),
        (Course("-1-#", "^--!", "-1-#"), ["x: started", "x: 1", "x: failed(ReactiveTests.Broken())"]),
        (Course("-1-2-|", "^!", "-1", until: "^!"), ["x: started", "x: 1", "x: stopped"]),
    ])
    func `print writes each event with a name and changes nothing (Law PRINT1)`(_ course: Course, _ written: [String]) {
        let lines = Box<[String]>([])
        course.holds { laboratory in
            lines.value = []
            return laboratory.a.print("x") { lines.value.append($0) }
        }
        #expect(lines.value == written)
    }
}
