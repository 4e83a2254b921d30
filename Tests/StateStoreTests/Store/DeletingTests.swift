import JSON
import Reactive
import ServerReads
import StateStore
import Testing

/// The deletion of a space, and of the state that `common` holds for it.
struct DeletingTests {
    // Law FORGET1
    @Test func `a deleted space has its initial state, and its subscribers receive it`() throws {
        let stand = try Stand()
        try stand.post("ledger/add", "a", 5)
        let told = stand.watch("ledger.sum")
        try stand.settle(.main)
        #expect(try stand.forget(.main) == "true")
        #expect(try stand.read("ledger.sum") == "sum=0" && told.events == ["sum=5", "sum=0"])
        #expect(try stand.post("ledger/add", "a", 1).hasPrefix("1 "))
        #expect(try stand.forget(.other) == "false" && stand.forget(.common) == "commonStays")
    }

    // Law FORGET1
    @Test func `a space that cannot be deleted stays unchanged`() throws {
        let guests = try GuestHouse()
        try guests.enter(.main)
        guests.journal.failForgetting()
        #expect(try guests.forget(.main) == "\(FaultyJournal.full)")
        #expect(guests.names == "[\"main\"]" && guests.count(.main) == "1")
        #expect(try guests.forget(.main) == "true")
    }

    // Law FORGET2
    @Test(arguments: [1, 2]) func `the state of common for a space is deleted with it`(_ executors: Int) throws {
        let guests = try GuestHouse(executors: executors)
        for space in [SpaceName.main, .other] { try guests.enter(space) }
        #expect(guests.names == "[\"main\",\"other\"]")
        #expect(try guests.forget(.other) == "true")
        #expect(guests.names == "[\"main\"]")
        #expect(try guests.forget(.main) == "true")
        #expect(guests.names == "[]")
    }

    // Law FORGET2
    @Test func `actions during a deletion run in the new life, after the deletion handler`() throws {
        let guests = try GuestHouse()
        try guests.enter(.main)
        guests.journal.failAppends(2)
        let forgetting = guests.startForgetting(.main)
        let entering = guests.startEntering(.main)
        // The journal fails twice during the deletion handler.
        for _ in 0..<2 {
            try guests.run { guests.clock.next != nil }
            #expect(forgetting.told == nil && entering.result == nil)
            guests.clock.advance(by: .seconds(2))
        }
        try guests.run { forgetting.told != nil && entering.result != nil }
        #expect(forgetting.told == "true" && entering.told == "1 guest.count")
        #expect(guests.count(.main) == "1")
        // Later actions of the space in `common` count.
        try guests.tell(.main)
        #expect(guests.names == "[\"main\"]")
    }

    // Law FORGET2
    @Test func `after a crash during a deletion, the handler runs at the next start`() throws {
        let journal = FaultyJournal()
        let before = try GuestHouse(journal)
        for space in [SpaceName.main, .other] { try before.enter(space) }
        before.close()
        _ = try journal.forget(.main)
        let after = try GuestHouse(journal)
        try after.run { after.names == "[\"other\"]" }
        #expect(after.count(.other) == "1")
    }

    // Law FORGET2
    @Test func `a deletion handler is hidden from clients, and refused for features of spaces`() throws {
        let guests = try GuestHouse()
        try guests.enter(.main)
        #expect(guests.post("guests", "left", "{\"space\": \"main\"}", in: .common).told == "noSuchAction")
        #expect(guests.names == "[\"main\"]")
        let fault = #expect(throws: RegistrationFault.self) {
            try Registry([Feature("guests", GuestsState.init, GuestsService.init, GuestsViewModel.init)])
        }
        #expect(fault?.description.contains("SpaceDeletionHandler") == true)
    }
}

extension Stand {
    /// Deletes a space. Returns true if it existed, or the refusal.
    fileprivate func forget(_ space: SpaceName) throws -> String {
        let forgotten = Forgotten()
        store.forget(space) { forgotten.hear($0) }
        try executor.run { forgotten.told != nil }
        return forgotten.told ?? "-"
    }
}

/// The result of a deletion.
private final class Forgotten {
    var told: String?

    func hear(_ result: Result<Bool, Refusal>) {
        switch result {
        case .success(let existed): told = "\(existed)"
        case .failure(.journal(let failure)): told = "\(failure)"
        case .failure(let refusal): told = "\(refusal)"
        }
    }
}

// MARK: A feature that keeps something for spaces

private struct GuestsState {
    let names = Table<String, Int>()
}

private struct GuestsService: StateService {
    let enter: Action<Amount>
    let left: SpaceDeletionHandler

    init(_ guests: GuestsState) {
        enter = Action { input, commit in commit[guests.names, input.name] = 1 }
        left = SpaceDeletionHandler(to: { commit in Set(commit.rows(of: guests.names).keys) }) { space, commit in
            commit[guests.names, space] = nil
        }
    }
}

private struct GuestsViewModel: ViewModel {
    let names: Observable<[String]>

    init(_ guests: GuestsState) {
        names = guests.names.sorted().map { $0.map(\.key) }
    }
}

private struct GuestState {
    let count = Variable(0)
}

private struct GuestService: StateService {
    let add: Action<NoInput>

    init(_ guest: GuestState) {
        add = Action { commit in commit[guest.count] += 1 }
    }
}

private struct GuestViewModel: ViewModel {
    let count: Observable<Int>

    init(_ guest: GuestState) {
        count = guest.count
    }
}

/// Stores on one or two executors, with spaces that `common` counts.
private final class GuestHouse {
    let journal: FaultyJournal
    private let executors: [TestExecutor]
    private let writer: ThreadedJournalWriter
    private let stores: Stores
    private var isClosed = false

    init(_ journal: FaultyJournal = FaultyJournal(), executors count: Int = 1) throws {
        self.journal = journal
        executors = (0..<count).map { _ in TestExecutor() }
        writer = try ThreadedJournalWriter(journal)
        stores = try Stores(
            Registry([
                Feature("guests", in: .common, GuestsState.init, GuestsService.init, GuestsViewModel.init),
                Feature("guest", GuestState.init, GuestService.init, GuestViewModel.init),
            ]), executors: executors, writer: writer, seed: 1, clock: { Timestamp(microseconds: 0) })
        settle()
    }

    deinit { close() }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        writer.close()
        for executor in executors { executor.close() }
    }

    var clock: VirtualScheduler { executors[0].scheduler as! VirtualScheduler }

    func settle() {
        for _ in 0..<20 { for executor in executors { executor.runPosted() } }
    }

    func run(until isSo: () -> Bool) throws {
        while !isSo() {
            settle()
            if isSo() { return }
            try executors[0].waitForJobs(orAt: executors[executors.count - 1])
        }
    }

    func start(_ feature: String, _ action: String, _ input: String? = nil, in space: SpaceName) -> Reply {
        let reply = Reply()
        stores[stores.index(of: space)].perform(
            Call(feature: feature, action: action, input: input.map { Array($0.utf8) }), in: space
        ) {
            reply.result = $0
        }
        return reply
    }

    func post(_ feature: String, _ action: String, _ input: String? = nil, in space: SpaceName) -> Reply {
        let reply = start(feature, action, input, in: space)
        #expect(throws: Never.self) { try run { reply.result != nil } }
        return reply
    }

    func startEntering(_ space: SpaceName) -> Reply { start("guest", "add", in: space) }

    func tell(_ space: SpaceName) throws {
        _ = try post("guests", "enter", "{\"name\": \"\(space)\", \"amount\": 1}", in: .common).result?.get()
    }

    /// Performs an action in a space, and one in `common` that records the space.
    func enter(_ space: SpaceName) throws {
        _ = try post("guest", "add", in: space).result?.get()
        try tell(space)
    }

    func startForgetting(_ space: SpaceName) -> Forgotten {
        let forgotten = Forgotten()
        stores[stores.index(of: space)].forget(space) { forgotten.hear($0) }
        return forgotten
    }

    func forget(_ space: SpaceName) throws -> String {
        let forgotten = startForgetting(space)
        try run { forgotten.told != nil }
        return forgotten.told ?? "-"
    }

    private func read(_ view: String, in space: SpaceName) -> String {
        let look = Look()
        stores[stores.index(of: space)].read([view], in: space) { look.result = $0 }
        #expect(throws: Never.self) { try run { look.result != nil } }
        return String(look.told.drop { $0 != "=" }.dropFirst())
    }

    /// The spaces that `common` has recorded.
    var names: String { read("guests.names", in: .common) }

    func count(_ space: SpaceName) -> String { read("guest.count", in: space) }
}
