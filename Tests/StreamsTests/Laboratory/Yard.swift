import JSON
import Reactive
import ServerReads
import StateStore
import Streams

/// Two numbers with views.
struct NumbersState {
    let one = Variable(1)
    let other = Variable(10)
}

struct NumbersService: StateService {
    let set: Action<Numbers>

    init(_ numbers: NumbersState) {
        set = Action { input, commit in
            if let one = input.one { commit[numbers.one] = one }
            if let other = input.other { commit[numbers.other] = other }
        }
    }
}

struct NumbersViewModel: ViewModel {
    let one: Observable<Int>
    let other: Observable<Int>
    let small: Observable<Int>

    init(_ numbers: NumbersState) {
        one = numbers.one
        other = numbers.other
        small = numbers.one.map { one in
            if one > 100 { throw NoNumber() }
            return one
        }
    }
}

struct Numbers: Record {
    var one: Int?
    var other: Int?

    static let shape = Shape(Numbers()) {
        $0.optional("one", \.one)
        $0.optional("other", \.other)
    }
}

/// A store with streams, on one thread.
final class Yard {
    let here: Here
    let stores: Stores
    let space: SpaceName
    private let journal: MemoryJournal

    init(
        _ journal: MemoryJournal = MemoryJournal(), space: String = "main", formulas: Formulas = .byHeart,
        hasExamples: Bool = true
    ) throws {
        here = Here()
        self.journal = journal
        self.space = SpaceName(space)!
        stores = try Stores(
            Registry([
                Feature("numbers", NumbersState.init, NumbersService.init, NumbersViewModel.init),
                .streams(formulas, hasExamples: hasExamples),
            ]),
            executors: [here], writer: InlineJournalWriter(journal), seed: 1,
            clock: { [here] in Timestamp(microseconds: 1 + here.clock.now.nanoseconds / 1_000) })
    }

    var store: Store { stores[0] }

    /// The commits of the space after a version.
    func commits(after version: Int) throws -> [CommitRecord] {
        guard case .commits(let commits) = try journal.read(space, after: version, limit: .max) else {
            throw Market.NoCommits()
        }
        return commits
    }

    var clock: VirtualScheduler { here.clock }

    /// The server's permit for views.
    func permit(_ views: [String]) -> ReadPermit { .ofServer(views, in: space, store.registry) }

    /// Performs an action. Returns its version and the changed variables, or the refusal.
    @discardableResult
    func post(_ action: String, _ input: String, key: String? = nil, views: [String] = []) -> String {
        let parts = action.split(separator: "/").map(String.init)
        var told = "-"
        store.perform(
            Call(feature: parts[0], action: parts[1], input: Array(input.utf8), key: key, views: permit(views)),
            in: space
        ) { result in
            switch result {
            case .success(let answer): told = (["\(answer.version)"] + answer.changed).joined(separator: " ")
            case .failure(.rejected(let rejection)):
                let others = rejection.others.map { ($0.pointer, $0.description) }
                told = ([(rejection.pointer, rejection.description)] + others).map {
                    "\($0.0.map { "\($0)" } ?? "-"): \($0.1)"
                }
                .joined(separator: "\n")
            case .failure(.noView(_, let why)): told = "no view: \(why)"
            case .failure(let refusal): told = "\(refusal)"
            }
        }
        here.run()
        return told
    }

    func put(_ definition: String) -> String { post("streams/put", definition) }

    func get(_ views: String...) -> String {
        var told = "-"
        store.read(views, in: space) { told = Self.told($0.map(\.views)) }
        here.run()
        return told
    }

    func watch(_ views: String...) -> Told {
        let told = Told()
        told.watch = store.watch(views, in: space) { [unowned told] in told.events.append(Self.told($0)) }
        here.run()
        return told
    }

    static func told(_ news: Result<ViewFrames, Refusal>) -> String {
        switch news {
        case .success(let news):
            news.map { view, frame in
                switch frame.value {
                case .success(let value): "\(view)=\(String(decoding: value.bytes, as: UTF8.self))"
                case .failure(let failure): "\(view) failed: \(failure)"
                }
            }.joined(separator: " ")
        case .failure(.noView(_, let why)): "no view: \(why)"
        case .failure(let refusal): "\(refusal)"
        }
    }

    final class Told {
        var watch: Watch?
        var events: [String] = []
    }

    /// The only thread: posted jobs run after the current one.
    final class Here: Executor, @unchecked Sendable {
        // Sendable because there is one thread.
        let clock: VirtualScheduler
        private var jobs: [@Sendable () -> Void] = []

        init(_ clock: VirtualScheduler = VirtualScheduler()) {
            self.clock = clock
        }

        var scheduler: any Scheduler { clock }

        func post(_ job: @escaping @Sendable () -> Void) {
            jobs.append(job)
        }

        func run() {
            while !jobs.isEmpty { jobs.removeFirst()() }
        }
    }
}
