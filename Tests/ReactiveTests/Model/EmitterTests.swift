import Reactive
import Testing

struct EmitterTests {
    private struct Broken: Error {}

    @Test func `a source of one's own starts with its first listener and stops with its last`() {
        let graph = Graph()
        var notes: [String] = []
        var emitter: Emitter<Int>?
        let source = Observable<Int>.source { begun in
            notes.append("start")
            emitter = begun
            begun.send(1)
            return { notes.append("stop") }
        }
        #expect(notes.isEmpty)
        var received: [Int] = []
        let one = source.watch(in: graph) { received.append($0) }
        let other = source.map { $0 * 10 }.watch(in: graph) { received.append($0) }
        #expect(received == [1, 10] && emitter?.isWanted == true)
        emitter?.send(2)
        #expect(received == [1, 10, 2, 20])
        one.cancel()
        #expect(notes == ["start"])
        other.cancel()
        #expect(notes == ["start", "stop"] && emitter?.isWanted == false)
        emitter?.send(3)
        #expect(received == [1, 10, 2, 20])
    }

    @Test func `state is delivered to a later listener, events are not`() {
        for areEvents in [false, true] {
            let graph = Graph()
            var emitter: Emitter<Int>?
            let source = Observable<Int>.source(events: areEvents) {
                emitter = $0
                return {}
            }
            let first = source.watch(in: graph) { _ in }
            emitter?.send(1)
            var later: [Int] = []
            let second = source.watch(in: graph) { later.append($0) }
            #expect(later == (areEvents ? [] : [1]))
            first.cancel()
            second.cancel()
        }
    }

    @Test func `a value within a turn comes after it, and an end ends it`() {
        let (graph, count) = (Graph(), Variable(0))
        var emitter: Emitter<Int>?
        let source = Observable<Int>.source {
            emitter = $0
            return {}
        }
        var received: [String] = []
        let observations = [
            source.watch(in: graph, receive: { received.append("\($0)") }, end: { received.append("\($0)") }),
            count.watch(in: graph) { emitter?.send($0) },
        ]
        graph.commit { $0[count] = 5 }
        emitter?.send(.failed(Broken()))
        emitter?.send(9)
        #expect(received.prefix(2) == ["0", "5"] && received.count == 3)
        withExtendedLifetime(observations) {}
    }
}
