import JSON
import Reactive
import ServerReads
import StateStore
import Testing

/// The parts of a feature are found by reflection once, and by their places afterwards.
struct LayoutTests {
    private struct Empty: StateService, ViewModel {}

    private struct Plain {
        let first = Variable(0)
        let second = Variable("")
        let third = Table<Int, Int>()
    }

    /// A state that is an object.
    private final class Shared {
        let first: Variable<Int>
        let second: Variable<String>
        let third: Table<Int, Int>

        init() {
            (first, second, third) = (Variable(0), Variable(""), Table())
        }
    }

    /// A service that stores more than its actions.
    private struct Service: StateService {
        let note: String
        let first: Action<NoInput>
        let spare: any Collection<Int>
        let second: Action<NoInput>

        init(_ first: Variable<Int>, _ second: Variable<String>, _ third: Table<Int, Int>) {
            note = "first"
            spare = [1, 2, 3]
            self.first = Action { commit in commit[first] += 1 }
            self.second = Action { commit in
                commit[second] += "x"
                commit[third, commit.version] = 1
            }
        }
    }

    /// A service whose actions lie between other values.
    private struct MixedService: StateService {
        let isNoted: Bool
        let first: Action<NoInput>
        let word: Int32
        let state: Plain
        let second: Action<NoInput>

        init(_ plain: Plain) {
            (isNoted, word, state) = (true, 7, plain)
            first = Action { commit in commit[plain.first] += 1 }
            second = Action { commit in
                commit[plain.second] += "x"
                commit[plain.third, commit.version] = 1
            }
        }
    }

    private struct Model: ViewModel {
        let first: Observable<Int>
        let second: Observable<String>
        let third: Observable<Int>

        init(_ first: Variable<Int>, _ second: Variable<String>, _ third: Table<Int, Int>) {
            self.first = first.map { $0 }
            self.second = second
            self.third = third.fold(0, add: { $0 + $1 }, remove: { $0 - $1 })
        }
    }

    // Law R3
    @Test(arguments: [
        Feature(
            "a", { Plain() }, { Service($0.first, $0.second, $0.third) }, { Model($0.first, $0.second, $0.third) }),
        Feature(
            "a", { Shared() }, { Service($0.first, $0.second, $0.third) }, { Model($0.first, $0.second, $0.third) }),
        Feature("a", { Plain() }, { MixedService($0) }, { Model($0.first, $0.second, $0.third) }),
    ])
    func `each space has its own variables, actions and views, however they are stored`(_ feature: Feature) throws {
        let executor = TestExecutor()
        defer { executor.close() }
        let stores = try Stores(
            Registry([feature]), executors: [executor], writer: InlineJournalWriter(MemoryJournal()), seed: 1,
            clock: { Timestamp(microseconds: 0) })
        func act(_ action: String, in space: SpaceName) -> String {
            let reply = Reply()
            stores[0].perform(Call(feature: "a", action: action), in: space) { reply.result = $0 }
            return reply.told
        }
        func read(in space: SpaceName) -> String {
            let look = Look()
            stores[0].read(["a.first", "a.second", "a.third"], in: space) { look.result = $0 }
            return look.told
        }
        #expect(act("first", in: .main) == "1 a.first")
        #expect(act("second", in: .other) == "1 a.second,a.third")
        #expect(act("second", in: .main) == "2 a.second,a.third")
        #expect(act("second", in: .main) == "3 a.second,a.third")
        #expect(read(in: .main) == #"first=1 second="xx" third=2"#)
        #expect(read(in: .other) == #"first=0 second="x" third=1"#)
    }

    // Law R3
    @Test func `a state is reflected when it is registered and never again`() throws {
        let tally = Tally()
        let executor = TestExecutor()
        defer { executor.close() }
        let registry = try Registry([
            Feature(
                "a", { CountedState(tally) }, { _ in Empty() }, { Model($0.first, $0.second, $0.third) })
        ])
        #expect(tally.taken("mirror") > 0)
        let stores = try Stores(
            registry, executors: [executor], writer: InlineJournalWriter(MemoryJournal()), seed: 1,
            clock: { Timestamp(microseconds: 0) })
        for number in 0..<20 {
            let watch = stores[0].watch(["a.first", "a.third"], in: SpaceName("s\(number)")!) { _ in }
            withExtendedLifetime(watch) {}
        }
        #expect(tally.taken("mirror") == 0)
    }

    /// A state that counts how often it is reflected.
    private struct CountedState: CustomReflectable {
        let first = Variable(0)
        let second = Variable("")
        let third = Table<Int, Int>()
        nonisolated(unsafe) static var tally: Tally?

        init(_ tally: Tally) { Self.tally = tally }

        var customMirror: Mirror {
            _ = Self.tally?.count("mirror", 0)
            return Mirror(self, children: ["first": first, "second": second, "third": third])
        }
    }
}
