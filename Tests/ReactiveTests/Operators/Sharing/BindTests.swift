import Reactive
import Testing

struct BindTests {
    @Test(arguments: [
        Course("-1-2-|", "^----!", "-1-2-|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-1-#", "^--!", "-1-#"),
    ])
    func `bind sends all events to the subject, including the end (Law BIND1)`(_ course: Course) {
        course.holds { laboratory in
            let subject = Subject<String>()
            // Bound while the subject has a listener.
            return Observable<String> { output in
                let binding = Box<Subscription?>(nil)
                output.undo = { binding.value?.cancel() }
                output.listen(to: subject, receive: { output.emit($0) }, end: { output.finish($0) })
                binding.value = laboratory.a.bind(to: subject, in: laboratory.graph)
            }
        }
    }

    @Test func `a cancelled binding sends nothing more (Law BIND1)`() {
        let graph = Graph()
        let number = Variable(1)
        let subject = Subject<Int>()
        var told: [Int] = []
        let subscription = subject.watch(in: graph) { told.append($0) }
        let binding = number.bind(to: subject, in: graph)
        graph.commit { $0[number] = 2 }
        binding.cancel()
        graph.commit { $0[number] = 3 }
        #expect(told == [1, 2])
        subscription.cancel()
        #expect(graph.activeCount == 0)
    }

    @Test func `bind sends in a turn after the delivery (Law BIND2)`() {
        let graph = Graph()
        let number = Variable(1)
        let subject = Subject<Int>()
        var told: [String] = []
        let watching = combineLatest(number, subject).watch(in: graph) { told.append("\($0) \($1)") }
        let binding = number.bind(to: subject, in: graph)
        graph.commit { $0[number] = 2 }
        #expect(told == ["1 1", "2 1", "2 2"])
        binding.cancel()
        watching.cancel()
        #expect(graph.activeCount == 0)
    }
}
