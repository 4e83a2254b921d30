import JSON
import Reactive
import ScriptedOutside
import ServerReads
import StateStore

/// A feature for tests of effects: an errand that calls another server, and a list of errands.
struct ErrandsState {
    let errand = Variable<String?>(nil)
    let list = Table<String, Int>()
    let done = Variable<[String]>([])
}

struct ErrandsService: StateService {
    let send: Action<Amount>
    let cancel: Action<NoInput>
    let put: Action<Amount>
    let note: Action<Amount>
    let finish: InternalAction<Amount>
    let tick: InternalAction<Amount>

    init(_ errands: ErrandsState) {
        send = Action { input, commit in commit[errands.errand] = input.name }
        cancel = Action { commit in commit[errands.errand] = nil }
        put = Action { input, commit in commit[errands.list, input.name] = input.amount }
        note = Action { input, commit in commit[errands.done] += [input.name] }
        finish = InternalAction { input, commit throws(Rejection) in
            guard commit[errands.errand] == input.name else { throw .conflict("nobody was sent for that") }
            commit[errands.errand] = nil
            commit[errands.done] += [input.name]
        }
        tick = InternalAction { input, commit throws(Rejection) in
            guard let left = commit[errands.list, input.name] else { throw .conflict("that is not on the list") }
            commit[errands.list, input.name] = left > 1 ? left - 1 : nil
            commit[errands.done] += [input.name]
        }
    }
}

struct ErrandsViewModel: ViewModel {
    let done: Observable<[String]>

    init(_ errands: ErrandsState) {
        done = errands.done
    }
}

struct ErrandsEffects: Effects {
    let run: Effect
    let tickOff: Effect

    init(_ errands: ErrandsState, _ outside: Outside) {
        run = Effect(for: errands.errand) { name in
            outside.fetch(OutgoingRequest(name, target: "test")).flatMap { response in
                if response.body == Array("bad".utf8) { throw Unlucky() }
                return outside.perform("finish", Amount(name: name))
            }
        }
        tickOff = Effect(each: errands.list) { name, left in
            left.flatMapLatest { left in
                outside.fetch(OutgoingRequest("\(name)\(left)", target: "test")).flatMap { _ in
                    outside.perform("tick", Amount(name: name))
                }
            }
        }
    }
}

extension OutgoingRequest {
    init(_ url: String, target: String) {
        self.init("GET", url, target: target)
    }
}

/// Stores on one or two executors with the errands, in each space and, as `chores`, in `common`.
final class ErrandStand {
    let executors: [TestExecutor]
    let fetcher = ScriptedFetcher()
    let journal: FaultyJournal
    let warnings = Warnings()
    let writer: ThreadedJournalWriter
    let stores: Stores
    private var isClosed = false

    init(_ journal: FaultyJournal = FaultyJournal(), executors count: Int = 1) throws {
        self.journal = journal
        executors = (0..<count).map { _ in TestExecutor() }
        writer = try ThreadedJournalWriter(journal)
        journal.onAppend { [executor = executors[0]] in executor.post {} }
        let registry = try Registry([
            Feature(
                "chores", in: .common, ErrandsState.init, ErrandsService.init, ErrandsViewModel.init,
                effects: { ErrandsEffects($0, $1) }),
            Feature(
                "errands", ErrandsState.init, ErrandsService.init, ErrandsViewModel.init,
                effects: { ErrandsEffects($0, $1) }),
        ])
        stores = try Stores(
            registry, executors: executors, writer: writer, fetcher: fetcher, seed: 1,
            clock: { Timestamp(microseconds: 0) },
            log: FeatureLog(info: { _ in }, warning: { [warnings] in warnings.add($0) }))
        settle()
    }

    deinit {
        close()
        for executor in executors { executor.close() }
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        journal.release()
        writer.close()
    }

    /// Runs all executors until no job is waiting.
    func settle() {
        for _ in 0..<20 { for executor in executors { executor.runPosted() } }
    }

    func run(until isSo: @escaping () -> Bool) throws {
        guard executors.count > 1 else { return try executors[0].run(until: isSo) }
        while !isSo() {
            settle()
            if isSo() { return }
            try executors[0].waitForJobs(orAt: executors[1])
        }
    }

    func scheduler(_ index: Int = 0) -> VirtualScheduler { executors[index].scheduler as! VirtualScheduler }

    @discardableResult
    func post(_ action: String, _ name: String = "", _ amount: Int = 1, in space: SpaceName = .main) throws -> String {
        let reply = send(action, name, amount, in: space)
        try run { reply.result != nil }
        return reply.told
    }

    func send(_ action: String, _ name: String = "", _ amount: Int = 1, in space: SpaceName = .main) -> Reply {
        let parts = action.split(separator: "/").map(String.init)
        let reply = Reply()
        let input = name.isEmpty ? nil : try? Amount(name: name, amount: amount).json()
        stores[stores.index(of: space)].perform(Call(feature: parts[0], action: parts[1], input: input), in: space) {
            reply.result = $0
        }
        return reply
    }

    func read(_ view: String, in space: SpaceName = .main) throws -> String {
        let look = Look()
        stores[stores.index(of: space)].read([view], in: space) { look.result = $0 }
        try run { look.result != nil }
        return look.told
    }
}

/// The warnings.
final class Warnings: @unchecked Sendable {
    // Sendable because only the test's thread accesses it.
    var all: [String] = []

    func add(_ warning: String) { all.append(warning) }
}
