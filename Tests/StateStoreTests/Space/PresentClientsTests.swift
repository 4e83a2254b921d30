import JSON
import Reactive
import ServerReads
import StateStore
import Testing

/// The rows of clients that leave while the journal fails.
struct PresentClientsTests {
    private let journal = FaultyJournal()
    private let executor = TestExecutor()
    private let stores: Stores

    init() throws {
        stores = try Stores(
            Registry([Feature("hall", HallState.init, HallService.init, HallViewModel.init)]), executors: [executor],
            writer: InlineJournalWriter(journal), seed: 1, clock: { Timestamp(microseconds: 0) })
        executor.runPosted()
    }

    private func advance(seconds: Int) {
        (executor.scheduler as? VirtualScheduler)?.advance(by: .seconds(seconds))
        executor.runPosted()
    }

    private func join(_ key: String) throws -> PresenceStay {
        var stay: PresenceStay?
        let request = PresenceRequest(key, in: "hall.here", with: 1, Caller.server, needsRule: false)
        stores[0].join(request, in: .main) { stay = try? $0.get() }
        executor.runPosted()
        return try #require(stay)
    }

    private func read(_ view: String) -> String {
        let look = Look()
        stores[0].read([view], in: .main) { look.result = $0 }
        executor.runPosted()
        return look.told
    }

    private func rename() -> String {
        let reply = Reply()
        stores[0].perform(Call(feature: "hall", action: "rename"), in: .main) { reply.result = $0 }
        executor.runPosted()
        return reply.told
    }

    // Law U3
    @Test func `the action for a client that has left is performed once the journal can be written`() throws {
        let stay = try join("ada")
        #expect(read("hall.here") == "here=1")
        journal.failAppends(2)
        stay.end()
        advance(seconds: 5)
        #expect(read("hall.here") == "here=0" && read("hall.departed") == "departed=0")
        advance(seconds: 1)
        advance(seconds: 2)
        #expect(read("hall.departed") == "departed=1")
        advance(seconds: 60)
        #expect(read("hall.departed") == "departed=1")
    }

    // Law U3
    @Test func `a row goes although the space cannot be loaded at the end of the grace`() throws {
        let stay = try join("ada")
        journal.failAppends(1)
        journal.failLoads(2)
        #expect(rename() == "\(FaultyJournal.full)")
        stay.end()
        advance(seconds: 5)
        advance(seconds: 1)
        #expect(read("hall.here") == "here=0")
        advance(seconds: 0)
        #expect(read("hall.departed") == "departed=1")
    }
}

private struct HallState {
    let departed = Variable(0)
    let here = Table<String, Int>(kept: false)
}

private struct HallService: StateService {
    let here: Presence
    let left: Action<NoInput>
    let rename: Action<NoInput>

    init(_ hall: HallState) {
        here = Presence(in: hall.here, grace: .seconds(5), onLeave: "left")
        left = Action { _, commit in commit[hall.departed] += 1 }
        rename = Action { _, commit in commit[hall.departed] += 100 }
    }
}

private struct HallViewModel: ViewModel {
    let here: Observable<Int>
    let departed: Observable<Int>

    init(_ hall: HallState) {
        here = hall.here.rowCount()
        departed = hall.departed.map { $0 }
    }
}
