import Reactive
import Testing

struct HandleEventsTests {
    @Test(arguments: [
        (Course("-1-2-|", "^----!", "-1-2-|"), ["start", "1", "2", "completed"]),
        (Course("---|", "^--!", "---|"), ["start", "completed"]),
        (Course("|", "*", "|"), ["start", "completed"]),
        (Course("----", "^---!", "-", until: "^---!"), ["start", "stop"]),
        (Course("-1-#", "^--!", "-1-#"), ["start", "1", "failed(ReactiveTests.Broken())"]),
        (Course("-1-2-|", "^!", "-1", until: "^!"), ["start", "1", "stop"]),
    ])
    func `handleEvents reports the lifecycle and changes nothing (Law HANDLEEVENTS1)`(
        _ course: Course, _ life: [String]
    ) {
        let lines = Box<[String]>([])
        course.holds { laboratory in
            lines.value = []
            return laboratory.a.handleEvents(
                start: { lines.value.append("start") }, value: { lines.value.append($0) },
                end: { lines.value.append("\($0)") },
                stop: { lines.value.append("stop") })
        }
        #expect(lines.value == life)
    }

    @Test func `handleEvents reports a stop by a listener that has enough (Law HANDLEEVENTS1)`() {
        let stops = Box(0)
        Course("-1-2-|", "^!", "-(1|)").holds { $0.a.handleEvents(stop: { stops.value += 1 }).prefix(1) }
        #expect(stops.value == 2)
    }
}
