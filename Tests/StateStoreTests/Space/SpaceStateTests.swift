import Testing

@testable import StateStore

/// The state machine of a space, without a journal, a graph or closures.
struct SpaceStateTests {
    private final class Generations {
        private(set) var last = 1

        func next() -> Int {
            last += 1
            return last
        }
    }

    /// A state machine in a class, so that an expectation can contain an event.
    @dynamicMemberLookup
    private final class Machine {
        private var state = SpaceState(generation: 1)

        subscript<Value>(dynamicMember path: KeyPath<SpaceState, Value>) -> Value { state[keyPath: path] }

        func beginLoading() -> Int? { state.beginLoading() }
        func isAwaited(_ load: Int) -> Bool { state.isAwaited(load) }
        func arrive(at version: Int) { state.arrive(at: version) }
        func lose() { state.lose() }
        func commit() { state.commit() }
        func submit() { state.submit() }
        func storeAtOnce() { state.storeAtOnce() }
        func close() { state.close() }
        func reopen(as generation: Int) { state.reopen(as: generation) }
        func takeMissed() -> [CommitRecord] { state.takeMissed() }
        func resume() -> SpaceState.Continuation { state.resume() }

        func follow(_ record: CommitRecord, isWatched: Bool) -> SpaceState.FollowDecision {
            state.follow(record, isWatched: isWatched)
        }

        func receive(_ outcome: SubmissionOutcome, next: () -> Int) -> SpaceState.OutcomeDecision {
            state.receive(outcome, next: next)
        }
    }

    private let generations = Generations()

    private func loaded(at version: Int = 0) -> Machine {
        let state = Machine()
        _ = state.beginLoading()
        state.arrive(at: version)
        return state
    }

    private func record(_ version: Int) -> CommitRecord {
        CommitRecord(
            space: .main, version: version, at: Timestamp(microseconds: 0), action: "a/b", input: nil,
            facts: [Fact(variable: "a.c", value: Array("1".utf8))])
    }

    private func outcome(_ version: Int, _ status: CommitStatus, generation: Int = 1) -> SubmissionOutcome {
        let submitter = Submitter(on: TestExecutor()) { _ in }
        return SubmissionOutcome(
            Submission(record: record(version), generation: generation, submitter: submitter), status)
    }

    @Test func `content is loaded once, and only the last load counts`() {
        let state = Machine()
        #expect(state.presence == .away && state.isIdle)
        #expect(state.beginLoading() == 1)
        #expect(state.beginLoading() == nil)
        #expect(state.isAwaited(1) && !state.isIdle)
        state.lose()
        #expect(!state.isAwaited(1))
        #expect(state.beginLoading() == 2)
        #expect(!state.isAwaited(1) && state.isAwaited(2))
        state.arrive(at: 7)
        #expect(state.isHere && state.version == 7 && state.isDurable && state.arrivals == 1)
        #expect(state.beginLoading() == nil && !state.isAwaited(2))
    }

    @Test func `a commit is durable after its outcome`() {
        let state = loaded(at: 3)
        state.commit()
        state.submit()
        #expect(state.version == 4 && state.durable == 3 && !state.isDurable && !state.isIdle)
        guard case .settle = state.receive(outcome(4, .stored), next: generations.next) else {
            Issue.record("a stored commit must be settled")
            return
        }
        #expect(state.durable == 4 && state.isDurable && state.isIdle)
        guard case .wait = state.resume() else {
            Issue.record("nothing is left to do")
            return
        }
    }

    @Test func `a commit that is stored within the call is durable at once`() {
        let state = loaded()
        state.commit()
        state.storeAtOnce()
        #expect(state.isDurable && state.durable == 1 && state.outstanding == 0)
    }

    @Test(arguments: [true, false])
    func `a lost commit ends its generation, and the space is loaded after the last outcome`(
        _ isFailure: Bool
    ) {
        let state = loaded()
        for _ in 0..<2 {
            state.commit()
            state.submit()
        }
        let failure = JournalFailure(.cannotWrite, "full")
        let status = isFailure ? CommitStatus.failed(failure) : .moved
        guard case .undo(let reason) = state.receive(outcome(1, status), next: generations.next) else {
            Issue.record("a lost commit must be undone")
            return
        }
        #expect(reason == (isFailure ? failure : nil))
        #expect(state.presence == .broken && state.generation == 2 && !state.isIdle)
        #expect(state.beginLoading() == nil)
        guard case .wait = state.resume() else {
            Issue.record("one outcome is missing")
            return
        }
        guard case .ignore = state.receive(outcome(2, .moved), next: generations.next) else {
            Issue.record("the outcome is of an earlier generation")
            return
        }
        guard case .load = state.resume() else {
            Issue.record("the space must be loaded again")
            return
        }
        #expect(state.presence == .away && state.generation == 2 && state.outstanding == 0)
    }

    @Test func `the next commit of another process is applied, and a gap loads the space`() {
        let state = loaded(at: 2)
        #expect(state.follow(record(2), isWatched: true) == .ignore)
        #expect(state.follow(record(3), isWatched: false) == .apply)
        #expect(state.version == 3 && state.isDurable && state.arrivals == 2)
        #expect(state.follow(record(5), isWatched: false) == .load)
        #expect(state.presence == .away)
    }

    @Test func `commits of other processes wait for the outcomes of this one`() {
        let state = loaded()
        state.commit()
        state.submit()
        #expect(state.follow(record(1), isWatched: true) == .ignore)
        #expect(state.follow(record(2), isWatched: true) == .ignore)
        _ = state.receive(outcome(1, .stored), next: generations.next)
        guard case .follow(let missed) = state.resume() else {
            Issue.record("the commits that waited must be followed")
            return
        }
        #expect(missed.map(\.version) == [1, 2])
        #expect(state.follow(missed[0], isWatched: true) == .ignore)
        #expect(state.follow(missed[1], isWatched: true) == .apply)
    }

    @Test func `missed commits are limited`() {
        let state = Machine()
        _ = state.beginLoading()
        for version in 1...SpaceState.missedLimit + 1 {
            #expect(state.follow(record(version), isWatched: true) == .ignore)
        }
        state.arrive(at: 0)
        #expect(state.takeMissed().map(\.version) == [SpaceState.missedLimit + 1])
        #expect(state.takeMissed().isEmpty)
    }

    @Test func `only a watched space is loaded for a commit of another process`() {
        let state = Machine()
        #expect(state.follow(record(1), isWatched: false) == .ignore)
        #expect(state.follow(record(2), isWatched: true) == .load)
    }

    @Test func `a space is closed while it is deleted, and its older outcomes do not count`() {
        let state = loaded(at: 5)
        state.submit()
        state.close()
        #expect(!state.isHere && !state.isIdle && state.beginLoading() == nil)
        state.reopen(as: 9)
        #expect(state.beginLoading() != nil)
        guard case .ignore = state.receive(outcome(5, .moved), next: generations.next) else {
            Issue.record("the outcome is of the deleted space")
            return
        }
        #expect(state.presence == .loading && state.generation == 9)
    }

    @Test func `a load that began before a deletion does not count after it`() {
        let state = Machine()
        let load = state.beginLoading() ?? 0
        state.close()
        #expect(!state.isAwaited(load))
        state.reopen(as: 2)
        let next = state.beginLoading() ?? 0
        #expect(!state.isAwaited(load) && state.isAwaited(next))
    }
}
