import Reactive
import Testing

struct ReceiveOnTests {
    @Test(arguments: [
        Course("-1-2-|", "^----!", "-1-2-|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "-1-#"),
        Course("-1-2-|", "^!", "-1", until: "^!"),
    ])
    func `receive(on:) delivers each event as soon as the scheduler runs it (Law RECEIVEON1)`(_ course: Course) {
        course.holds { $0.a.receive(on: $0.clock) }
    }

    @Test func `all events wait for a late scheduler, including a failure (Law RECEIVEON1)`() throws {
        let laboratory = Laboratory()
        laboratory.add("a", try Marble("-1--(23)--#"), isHot: true)
        let received = laboratory.a.receive(on: LateScheduler(laboratory.clock))
        #expect(laboratory.watch(received, over: [Span("^")!])[0].lines == ["3 1", "6 2", "6 3", "12 # Broken"])
    }

    @Test func `each event is delivered in a turn of its own (Law RECEIVEON2)`() {
        Course("= (xyz|) x:10 y:20 z:30").holds { laboratory in
            combineLatest(Observable.from(["1", "2", "3"]).receive(on: laboratory.clock), .just("0"))
        }
    }
}
