import Hosting
import JSON
import Reactive
import ServerReads
import StateStore
import Streams

/// A rate in `common`.
struct RateState {
    let rate = Variable(1)
}

struct RateService: StateService {
    let set: Action<RateInput>

    init(_ state: RateState) {
        set = Action { input, commit in commit[state.rate] = input.rate }
    }
}

struct RateViewModel: ViewModel {
    let rate: Observable<Int>

    init(_ state: RateState) {
        rate = state.rate
    }
}

struct RateInput: Record {
    var rate = 0

    static let shape = Shape(RateInput()) {
        $0.required("rate", \.rate)
    }
}

/// Two amounts of a space, one of which is shown at the rate.
struct MarketState {
    let amount = Variable(0)
    let other = Variable(0)
}

struct MarketService: StateService {
    let set: Action<Amounts>

    init(_ state: MarketState, _ rate: ReadOnly<RateState>) {
        set = Action { input, commit in
            if let amount = input.amount { commit[state.amount] = amount }
            if let other = input.other { commit[state.other] = other }
        }
    }
}

struct MarketViewModel: ViewModel {
    let amount: Observable<Int>
    let other: Observable<Int>
    let total: Observable<Int>

    init(_ state: MarketState, _ rate: ReadOnly<RateState>) {
        amount = state.amount
        other = state.other
        total = combineLatest(state.amount, rate.rate).map { $0 * $1 }
    }
}

struct Amounts: Record {
    var amount: Int?
    var other: Int?

    static let shape = Shape(Amounts()) {
        $0.optional("amount", \.amount)
        $0.optional("other", \.other)
    }
}

/// A market whose server can be restarted at any time.
final class Market {
    let journal = MemoryJournal()
    let clock: VirtualScheduler
    private(set) var here: Yard.Here
    private(set) var stores: Stores
    let space = SpaceName("main")!
    private var evictions = 0
    private let features: [Feature]

    /// A market of some features: by default its own, and streams.
    init(_ features: [Feature] = Market.features) throws {
        self.features = features
        here = Yard.Here()
        clock = here.clock
        stores = try Self.stores(features, journal, here)
    }

    private static func stores(
        _ features: [Feature], _ journal: MemoryJournal, _ here: Yard.Here
    ) throws -> Stores {
        try Stores(
            Registry(features), executors: [here], writer: InlineJournalWriter(journal), seed: 1,
            clock: { Timestamp(microseconds: here.clock.now.nanoseconds / 1_000) })
    }

    /// The features of a market without named operators.
    static let features = [
        Feature("rates", in: .common, RateState.init, RateService.init, RateViewModel.init),
        Feature("market", given: RateState.self, MarketState.init, MarketService.init, MarketViewModel.init),
        .streams(hasExamples: true),
    ]

    /// A replay of the space from before its first commit.
    func replay() throws -> Replay { Replay(of: space, try Registry(features)) }

    var store: Store { stores[0] }

    /// Starts another server on the same journal, at the same time.
    func restart(_ features: [Feature]? = nil) throws {
        here = Yard.Here(clock)
        stores = try Self.stores(features ?? self.features, journal, here)
        here.run()
    }

    /// Unloads all spaces without watchers.
    func evict() {
        store.idleLimit = 0
        evictions += 1
        _ = post("market/set", #"{"amount":\#(evictions)}"#, in: SpaceName("elsewhere")!)
        store.idleLimit = 100
    }

    func post(_ action: String, _ input: String, in space: SpaceName? = nil) -> Bool {
        let parts = action.split(separator: "/").map(String.init)
        var isDone = false
        store.perform(Call(feature: parts[0], action: parts[1], input: Array(input.utf8)), in: space ?? self.space) {
            if case .success = $0 { isDone = true }
        }
        here.run()
        return isDone
    }

    /// Undoes the commit of a version, as an administrator does. Returns true if it was undone.
    func undo(_ version: Int) throws -> Bool {
        let past = try PastReader(Registry(features), journal, isThreaded: false)
        var isDone = false
        past.run(for: here) { [space] context throws(PastRefusal) in
            StateEdit(undoing: version, in: space, context, isRehearsal: false)
        } then: { [self] edit in
            let input: JSON = ["undo": .number(Decimal(version))]
            guard
                let call = try? edit.get().call(
                    input: input.json(), input, key: nil, views: nil, condition: nil, caller: Caller("root"))
            else { return }
            store.perform(call, in: space) { if case .success = $0 { isDone = true } }
        }
        here.run()
        return isDone
    }

    /// Puts a definition with the memory that it has after the history. Returns the version.
    func putReplayed(_ text: String) throws -> Int? {
        let document = try JSON(parsing: Array(text.utf8))
        let past = try PastReader(Registry(features), journal, isThreaded: false)
        var version: Int?
        store.definitions(of: .ofServer(["streams.definitions"], in: space, store.registry)) { [self] library in
            guard let library = try? library.get(), let program = try? library.program(of: document) else { return }
            past.replayHistory(of: program, in: space, for: here) { [self] replayed in
                guard let memory = try? replayed.get() else { return }
                let call = Call(
                    feature: "streams", action: "put", input: Array(text.utf8), ifVersion: memory.version
                ).with(tree: document, memory)
                store.perform(call, in: space) { version = try? $0.get().version }
            }
        }
        here.run()
        return version
    }

    func get(_ view: String) -> String {
        var told = ""
        store.read([view], in: space) { result in
            guard case .success(let snapshot) = result, case .success(let value)? = snapshot.views.first?.frame.value
            else { return }
            told = String(decoding: value.bytes, as: UTF8.self)
        }
        here.run()
        return told
    }

    func watch(_ view: String) -> Yard.Told {
        let told = Yard.Told()
        told.watch = store.watch([view], in: space) { [unowned told] in told.events.append(Yard.told($0)) }
        here.run()
        return told
    }

    func commits(of space: SpaceName? = nil) throws -> [CommitRecord] {
        guard case .commits(let commits) = try journal.read(space ?? self.space, after: 0, limit: .max) else {
            throw NoCommits()
        }
        return commits
    }

    /// The journal has dropped the first commits.
    struct NoCommits: Error {}
}
