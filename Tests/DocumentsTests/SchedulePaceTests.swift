@testable import Hosting
import JSON
import Reactive
import ServerReads
import StateStore
import Testing

@testable import Documents

/// Laws DOC11 and CALM4: spaces in memory whose times come together make their commits in many turns.
@Suite struct SchedulePaceTests {
    fileprivate static let count = 300

    fileprivate static let document = #"""
        {"feature": "clock", "home": "space",
         "state": {"count": {"value": {"type": "integer"}, "initial": 0}},
         "actions": {"touch": {"do": [{"set": "count", "to": "state.count + 100"}]},
           "tick": {"do": [{"set": "count", "to": "state.count + 1"}]}},
         "views": {"count": {"expression": "state.count"},
           "calm": {"source": {"view": "clock.count"}, "operators": [{"debounce": {"seconds": 30}}]}},
         "schedules": {"beat": {"cron": "* * * * *", "act": "tick"}}}
        """#

    /// Spaces of one store that are all in memory.
    fileprivate final class Crowd {
        let executor = TurnExecutor()
        let store: Store
        private let stores: Stores

        init() throws {
            let feature = try #require(try compile(["clock": parse(document)])["clock"])
            stores = try Stores(
                try Registry([]).describing([DeployedFeature(feature)]), executors: [executor],
                writer: InlineJournalWriter(MemoryJournal()), seed: 1, clock: { [executor] in executor.time })
            store = stores[0]
            executor.turns(upTo: 9) {}
            for index in 0..<count { #expect(try act(in: "s\(index)")) }
            #expect(store.loadedCount == count)
        }

        deinit { executor.close() }

        /// Returns true if an action is answered within the call.
        func act(in space: String) throws -> Bool {
            var isAnswered = false
            let call = Call(feature: "clock", action: "touch", input: nil)
            store.perform(call, in: try #require(SpaceName(space))) { result in
                if case .success = result { isAnswered = true }
            }
            return isAnswered
        }

        /// Moves the clock, and returns the commits of each turn that has some.
        func commits(after duration: Duration) -> [Int] {
            executor.clock.moves(by: duration)
            var (before, counts) = (store.commitsCount, [Int]())
            executor.turns(upTo: 1_000) {
                if store.commitsCount > before { counts.append(store.commitsCount - before) }
                before = store.commitsCount
            }
            return counts
        }
    }

    @Test func `firings of spaces in memory are spread over turns, and requests go between`() throws {
        let crowd = try Crowd()
        crowd.executor.clock.moves(by: .seconds(60))
        crowd.executor.turn()
        #expect((1...64).contains(crowd.store.commitsCount - Self.count))
        // The action makes up for what is due in its own space first.
        let before = crowd.store.commitsCount
        #expect(try crowd.act(in: "s299"))
        #expect((2...4).contains(crowd.store.commitsCount - before))
        let counts = crowd.commits(after: .zero)
        #expect(counts.allSatisfy { $0 <= 64 }, "\(counts)")
        let firings = try (0..<Self.count).map { try crowd.firings(in: "s\($0)") }
        #expect(firings.allSatisfy { $0 == 1 })
    }

    @Test func `commits that take long end a turn early`() throws {
        let crowd = try Crowd()
        crowd.executor.clock.step = .milliseconds(2)
        let counts = crowd.commits(after: .seconds(60))
        #expect(counts.allSatisfy { $0 <= 4 }, "\(counts)")
        #expect(counts.reduce(0, +) >= Self.count)
    }
}

extension SchedulePaceTests.Crowd {
    /// The firings of the schedule in a space.
    fileprivate func firings(in space: String) throws -> Int {
        var value: JSON?
        store.read(["clock.count"], in: try #require(SpaceName(space))) { result in
            if case .success(let snapshot) = result, case .success(let found) = snapshot.views[0].frame.value {
                value = try? JSON(parsing: found.bytes)
            }
        }
        guard case .number(let number)? = value, let count = number.int64 else { return -1 }
        return Int(count % 100)
    }
}

/// An executor whose turns a test counts: a turn runs the jobs that wait, then the alarms that are due.
private final class TurnExecutor: Executor, @unchecked Sendable {
    // Sendable because its store is used on one thread.
    let clock = MovingClock()
    private var jobs: [@Sendable () -> Void] = []
    private var isClosed = false

    var scheduler: any Scheduler { clock }
    var time: Timestamp { TrialServer.start + .nanoseconds(clock.reached.nanoseconds) }

    func post(_ job: @escaping @Sendable () -> Void) {
        if !isClosed { jobs.append(job) }
    }

    func close() {
        isClosed = true
        jobs = []
    }

    func turn() {
        let waiting = jobs
        jobs = []
        for job in waiting { job() }
        clock.fire()
    }

    /// Runs turns, and `body` after each, until nothing waits.
    func turns(upTo limit: Int, _ body: () -> Void) {
        for _ in 0..<limit {
            turn()
            body()
            if jobs.isEmpty, !clock.isDue { return }
        }
    }
}

/// A clock that moves by a step at each look.
private final class MovingClock: Scheduler {
    private let alarms = AlarmQueue()
    private(set) var reached = Instant.zero
    var step = Duration.zero

    var now: Instant {
        reached = reached + step
        return reached
    }

    var isDue: Bool { alarms.next.map { $0 <= reached } ?? false }

    func set(_ alarm: Alarm) { alarms.insert(alarm) }

    func moves(by duration: Duration) { reached = reached + duration }

    /// Fires the alarms that are due at the beginning.
    func fire() {
        let end = reached
        while let alarm = alarms.popFirst(dueBy: end) { alarm.fire() }
    }
}
