import Reactive
import Testing

struct RetryWithoutEndTests {
    private struct Broken: Error {}

    @Test func `a retry without end waits twice as long each time, up to the greatest, and begins anew after a value`()
    {
        let (graph, scheduler) = (Graph(), VirtualScheduler())
        var starts: [Int64] = []
        let source = Observable<Int>.deferred {
            starts.append(scheduler.now.nanoseconds / 1_000_000_000)
            // The sixth run has a value and then fails.
            return starts.count == 6 ? .just(1).append(.failed(Broken())) : .failed(Broken())
        }
        var values: [Int] = []
        let observation = source.retry(from: .seconds(1), upTo: .seconds(8), on: scheduler)
            .watch(in: graph) { values.append($0) }
        scheduler.advance(by: .seconds(40))
        #expect(starts == [0, 1, 3, 7, 15, 23, 24, 26, 30, 38] && values == [1])
        observation.cancel()
        scheduler.advance(by: .seconds(100))
        #expect(starts.count == 10)
    }
}
