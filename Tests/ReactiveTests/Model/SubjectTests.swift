import Reactive
import Testing

struct SubjectTests {
    private let graph = Graph()
    private let subject = Subject<Int>()

    @Test func `a sent value reaches the current listeners: Laws S1, O4`() {
        subject.send(1)
        let early = Witness(of: subject, in: graph)
        subject.send(2)
        let late = Witness(of: subject, in: graph)
        subject.send(3)
        early.cancel()
        subject.send(4)
        #expect(early.values == [2, 3])
        #expect(late.values == [3, 4])
    }

    @Test func `an event is a turn of its own, after the one under way: Law S2`() {
        let number = Variable(1)
        var log: [String] = []
        let sending = Witness(of: number, in: graph) { [subject] value in
            guard value > 1 else { return }
            subject.send(value * 10)
            subject.send(value * 10 + 1)
            log.append("sent")
        }
        let others = Witness(of: number.map { "number \($0)" }, in: graph) { log.append($0) }
        let events = Witness(of: subject, in: graph) { log.append("event \($0)") }
        graph.commit { $0[number] = 2 }
        #expect(log == ["number 1", "sent", "number 2", "event 20", "event 21"])
        #expect(sending.values == [1, 2] && others.values.count == 2 && events.values == [20, 21])
    }

    @Test func `a value sent within a turn before a listener subscribes is lost, and the next is not: Law S4`() {
        let number = Variable(1)
        var late: Witness<Int>?
        let asking = Witness(of: number, in: graph) { [subject, graph] value in
            if value == 2 { late = Witness(of: subject, in: graph) }
            subject.send(value)
        }
        graph.commit { $0[number] = 2 }
        #expect(late?.values == [])
        graph.commit { $0[number] = 3 }
        #expect(late?.values == [3])
        #expect(asking.values == [1, 2, 3])
    }

    @Test func `two events are never in one turn: Laws S2, T5`() {
        let number = Variable(0), other = Subject<Int>()
        let sending = Witness(of: number, in: graph) { [subject] value in
            subject.send(value)
            other.send(value)
        }
        let both = Witness(of: combineLatest(subject, other).map { [$0, $1] }, in: graph)
        graph.commit { $0[number] = 1 }
        graph.commit { $0[number] = 2 }
        #expect(both.values == [[1, 1], [2, 1], [2, 2]])
        #expect(sending.values == [0, 1, 2])
    }

    @Test(arguments: [(End.completed, "completed"), (.failed(Broken()), "failed: Broken")])
    func `an end reaches all listeners and later ones, and nothing follows: Laws S3, O1`(_ end: End, _ word: String) {
        let early = Witness(of: subject, in: graph)
        subject.send(1)
        subject.send(end)
        subject.send(2)
        subject.send(end)
        subject.send(.completed)
        let late = Witness(of: subject, in: graph)
        let derived = Witness(of: subject.map { $0 }, in: graph)
        subject.send(3)
        #expect(early.values == [1] && early.ends == [word])
        #expect(late.values == [] && late.ends == [word])
        #expect(derived.values == [] && derived.ends == [word])
        #expect(graph.activeCount == 0)
    }

    @Test func `a subject that ended without a listener stays ended: Law S3`() {
        subject.send(.completed)
        #expect(Witness(of: subject, in: graph).ends == ["completed"])
    }

    @Test func `an end sent within a turn comes after the events before it, and no event follows: Laws S2, S3`() {
        let number = Variable(0)
        let events = Witness(of: subject, in: graph)
        let sending = Witness(of: number.dropFirst(), in: graph) { [subject] _ in
            subject.send(1)
            subject.send(.completed)
            subject.send(2)
            #expect(events.values == [] && events.ends == [])
        }
        graph.commit { $0[number] = 1 }
        #expect(sending.values == [1])
        #expect(events.values == [1] && events.ends == ["completed"])
    }

    @Test func `a postponed event does not reach a listener that has left by then: Laws S1, O8`() {
        let number = Variable(0)
        let events = Witness(of: subject, in: graph)
        let sending = Witness(of: number.dropFirst(), in: graph) { [subject] value in
            subject.send(value)
            events.cancel()
        }
        graph.commit { $0[number] = 1 }
        #expect(sending.values == [1])
        #expect(events.values == [])
    }
}
