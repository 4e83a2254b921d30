import JSON
import Reactive
import StateStore
import Testing

/// The places of rules, which the log names.
struct RulePlaceTests {
    struct SafeState {
        let word = Variable("")
    }

    struct SafeService: StateService {
        let allow: ActRule
        let fill: Action<NoInput>
        let empty: Action<NoInput>

        init(_ safe: SafeState) {
            allow = ActRule { _, commit in commit.caller.subject != "eve" }
            fill = Action { commit in commit[safe.word] = "x" }
            empty = Action(
                allow: { commit in commit.caller.subject == "ada" }, { commit in commit[safe.word] = "" })
        }
    }

    struct SafeViewModel: ViewModel {
        let allow = ReadRule(reading: ["sub"]) { _ in .just(true) }
        let word: GuardedView<String>
        let length: Observable<Int>

        init(_ safe: SafeState) {
            word = GuardedView(safe.word.map { $0 }, allow: ReadRule(reading: ["sub"]) { _ in .just(true) })
            length = safe.word.map(\.utf8.count)
        }
    }

    private let registry: Registry
    private let stores: Stores

    init() throws {
        registry = try Registry([Feature("safe", SafeState.init, SafeService.init, SafeViewModel.init)])
        let executor = SimulatedExecutor(from: Timestamp(microseconds: 0))
        stores = try Stores(
            registry, executors: [executor], writer: InlineJournalWriter(MemoryJournal()), seed: 1,
            clock: { executor.now })
    }

    private func rule(_ action: String, by subject: String) throws -> String? {
        let id = try #require(registry.action(feature: "safe", name: action))
        var result: Result<Answer, Refusal>?
        stores[0].perform(Call(id, by: subject), in: .main) { result = $0 }
        guard case .failure(.rejected(let rejection)) = result else { return nil }
        #expect(rejection.kind == .forbidden && !rejection.description.contains("safe"))
        return rejection.rule
    }

    @Test func `a refusal has the place of the rule, and its words do not`() throws {
        #expect(try rule("fill", by: "eve") == "safe")
        #expect(try rule("empty", by: "bob") == "safe/empty")
        #expect(try rule("empty", by: "ada") == nil)
    }

    @Test func `a registry knows the places of the rules of a view`() {
        #expect(registry.rules(ofView: "safe.word") == ["safe", "safe.word"])
        #expect(registry.rules(ofView: "safe.length") == ["safe"])
        #expect(registry.rules(ofView: "streams.x") == ["streams.x"])
    }
}
