import Reactive
import Testing

@Suite(.timeLimit(.minutes(1))) @MainActor struct ObservableValuesTests {
    private struct Broken: Error {}

    @Test func `a sequence has the present value first, and each later one`() async throws {
        let (graph, count) = (Graph(), Variable(1))
        var values = count.map { $0 * 10 }.values(in: graph).makeAsyncIterator()
        #expect(try await values.next() == 10)
        graph.commit { $0[count] = 2 }
        graph.commit { $0[count] = 3 }
        #expect(try await values.next() == 20)
        #expect(try await values.next() == 30)
    }

    @Test func `a task waits for the next commit`() async throws {
        let (graph, count) = (Graph(), Variable(0))
        let task = Task { @MainActor in
            var seen: [Int] = []
            for try await value in count.values(in: graph) {
                seen.append(value)
                if value == 2 { break }
            }
            return seen
        }
        // Each yield lets the other task of the main actor run.
        for value in 1...2 {
            await Task.yield()
            graph.commit { $0[count] = value }
        }
        #expect(try await task.value.last == 2)
    }

    @Test func `a sequence ends with its observable, and throws its failure`() async throws {
        let graph = Graph()
        var ended: [Int] = []
        for try await value in Observable.from([1, 2]).values(in: graph) { ended.append(value) }
        #expect(ended == [1, 2])
        await #expect(throws: Broken.self) {
            for try await _ in Observable<Int>.failed(Broken()).values(in: graph) {}
        }
        var over = Observable.from([1]).values(in: graph).makeAsyncIterator()
        for expected in [1, nil, nil] { #expect(try await over.next() == expected) }
    }

    @Test func `a slow reader keeps the newest values only`() async throws {
        let (graph, count) = (Graph(), Variable(0))
        var values = count.values(in: graph, keeping: 2).makeAsyncIterator()
        for value in 1...5 { graph.commit { $0[count] = value } }
        #expect(try await values.next() == 4)
        #expect(try await values.next() == 5)
    }

    @Test func `a cancelled task ends its observation`() async throws {
        let graph = Graph()
        var isStopped = false
        let endless = Observable<Int>.source { _ in { isStopped = true } }
        let task = Task { @MainActor in
            for try await _ in endless.values(in: graph) {}
        }
        await Task.yield()
        task.cancel()
        try await task.value
        #expect(isStopped)
    }
}
