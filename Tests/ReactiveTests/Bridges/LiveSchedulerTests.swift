import Reactive
import Testing

/// Real time, bounded by the time limit of the tests only: nothing asserts a duration.
@Suite(.timeLimit(.minutes(1))) @MainActor struct LiveSchedulerTests {
    @Test func `alarms fire in the order of their times, in the isolation of the scheduler`() async {
        let scheduler = LiveScheduler()
        var fired: [Int] = []
        await withCheckedContinuation { continuation in
            for number in [3, 1, 2] {
                scheduler.set(
                    Alarm(at: scheduler.now + .milliseconds(20 * number)) { _ in
                        MainActor.assertIsolated()
                        fired.append(number)
                        if number == 3 { continuation.resume() }
                    })
            }
        }
        #expect(fired == [1, 2, 3])
    }

    @Test func `a cancelled alarm does not fire, and an earlier one than the next wakes earlier`() async {
        let scheduler = LiveScheduler()
        var fired: [String] = []
        let late = Alarm(at: scheduler.now + .seconds(3_600)) { _ in fired.append("late") }
        scheduler.set(late)
        let cancelled = Alarm(at: scheduler.now + .milliseconds(5)) { _ in fired.append("cancelled") }
        scheduler.set(cancelled)
        cancelled.cancel()
        await withCheckedContinuation { continuation in
            scheduler.set(
                Alarm(at: scheduler.now + .milliseconds(10)) { _ in
                    fired.append("early")
                    continuation.resume()
                })
        }
        #expect(fired == ["early"])
        late.cancel()
    }

    @Test func `operators of time run on it`() async throws {
        let (graph, scheduler) = (Graph(), LiveScheduler())
        var numbers: [Int] = []
        for try await number in Observable<Int>.interval(.milliseconds(2), on: scheduler).prefix(3).values(in: graph) {
            numbers.append(number)
        }
        #expect(numbers == [0, 1, 2])
    }

    @Test func `an actor has a scheduler of its own`() async {
        #expect(await Clockmaker().waits() == ["begun", "rung"])
    }
}

/// An actor with a graph and a scheduler.
private actor Clockmaker {
    private var notes: [String] = []

    func waits() async -> [String] {
        let scheduler = LiveScheduler()
        notes.append("begun")
        await withCheckedContinuation { continuation in
            scheduler.set(
                Alarm(at: scheduler.now + .milliseconds(1)) { _ in
                    self.assertIsolated()
                    self.assumeIsolated { $0.notes.append("rung") }
                    continuation.resume()
                })
        }
        return notes
    }
}
