import JSON
import Reactive
import ServerReads
import StateStore
import Testing

/// A feature of a space is created at its first use.
struct FirstUseTests {
    private struct Counter { let value = Variable(0) }
    private struct OtherCounter { let value = Variable(0) }
    private struct ThirdCounter { let rows = Table<String, Int>() }

    private struct CounterService: StateService {
        let add: Action<NoInput>

        init(_ counter: Counter) { add = Action { commit in commit[counter.value] += 1 } }
    }

    private struct ReaderService: StateService {
        let copy: Action<NoInput>

        init(_ own: OtherCounter, _ counter: ReadOnly<Counter>) {
            copy = Action { commit in commit[own.value] = commit[counter.value] }
        }
    }

    private struct RowService: StateService {
        let add: Action<NoInput>

        init(_ own: ThirdCounter) { add = Action { commit in commit[own.rows, "row \(commit.version)"] = 1 } }
    }

    private struct CounterModel: ViewModel { let value: Observable<Int> }
    private struct RowModel: ViewModel { let count: Observable<Int> }

    /// Three features that count how often their states are made: `b` reads the state of `a`.
    private static func registry(_ tally: Tally) throws -> Registry {
        let registry = try Registry([
            Feature("a", { tally.count("a", Counter()) }, CounterService.init) { CounterModel(value: $0.value) },
            Feature("b", given: Counter.self, { tally.count("b", OtherCounter()) }, ReaderService.init) { own, _ in
                CounterModel(value: own.value)
            },
            Feature("c", { tally.count("c", ThirdCounter()) }, RowService.init) {
                RowModel(count: $0.rows.fold(0, add: { $0 + $1 }, remove: { $0 - $1 }))
            },
        ])
        _ = taken(tally)
        return registry
    }

    private static func taken(_ tally: Tally) -> [Int] { ["a", "b", "c"].map { tally.taken($0) } }

    private final class Bench {
        let tally = Tally()
        let journal = MemoryJournal()
        let executor = TestExecutor()
        let stores: Stores

        init() throws {
            stores = try Stores(
                FirstUseTests.registry(tally), executors: [executor], writer: InlineJournalWriter(journal), seed: 1,
                clock: { Timestamp(microseconds: 0) })
            executor.runPosted()
        }

        deinit { executor.close() }

        func act(_ feature: String, _ action: String = "add", in space: SpaceName = .main) -> String {
            let reply = Reply()
            stores[0].perform(Call(feature: feature, action: action), in: space) { reply.result = $0 }
            return reply.told
        }

        func read(_ view: String, in space: SpaceName = .main) -> String {
            let look = Look()
            stores[0].read([view], in: space) { look.result = $0 }
            return look.told
        }

        /// Unloads the space `main`, by using another.
        func unload() {
            stores[0].idleLimit = 0
            _ = read("a.value", in: .main)
            stores[0].idleLimit = 100
        }

        var made: [Int] { FirstUseTests.taken(tally) }
    }

    // Law P10
    @Test func `an action creates only its own feature`() throws {
        let bench = try Bench()
        #expect(bench.act("a") == "1 a.value")
        #expect(bench.made == [1, 0, 0])
        #expect(bench.act("a") == "2 a.value")
        #expect(bench.made == [0, 0, 0])
        #expect(bench.act("c") == "3 c.rows")
        #expect(bench.made == [0, 0, 1])
    }

    // Law P10
    @Test func `a feature that reads another creates the other first`() throws {
        let bench = try Bench()
        _ = bench.act("c")
        _ = bench.made
        #expect(bench.read("b.value") == "value=0")
        #expect(bench.made == [1, 1, 0])
    }

    // Law P10
    @Test func `facts of an unused feature stay unchanged through commits and unloading`() throws {
        let bench = try Bench()
        _ = bench.act("a")
        for _ in 0..<3 { _ = bench.act("c") }
        _ = bench.act("b", "copy")
        for round in 0..<3 {
            bench.unload()
            #expect(bench.stores[0].loadedCount == 0)
            _ = bench.made
            #expect(bench.act("c") == "\(6 + round) c.rows")
            #expect(bench.made == [0, 0, 1])
        }
        #expect(bench.read("b.value") == "value=1")
        #expect(bench.read("a.value") == "value=1")
        #expect(bench.read("c.count") == "count=6")
    }

    // Law P10
    @Test(arguments: [
        Fact(variable: "a.value", value: Array("\"x\"".utf8)), Fact(variable: "a.value", value: Array("1 2".utf8)),
        Fact(variable: "a.value", entry: "1", value: Array("1".utf8)),
        Fact(variable: "c.rows", entry: "x", value: Array("true".utf8)),
        Fact(variable: "c.rows", value: Array(#"{"x":null}"#.utf8)),
    ])
    func `a damaged fact fails the load, whichever feature is used`(_ fact: Fact) throws {
        let bench = try Bench()
        let record = CommitRecord(
            space: .main, version: 1, at: Timestamp(microseconds: 0), action: "a/add", input: nil, facts: [fact])
        #expect(try bench.journal.append([record]) == [.kept])
        for feature in ["a", "b", "c"] {
            let view = feature == "c" ? "c.count" : "\(feature).value"
            #expect(bench.read(view).hasPrefix("what is kept of the space main cannot be read: "))
            #expect(bench.act("c").hasPrefix("what is kept of the space main cannot be read: "))
        }
        #expect(bench.stores[0].loadedCount == 0)
    }

    // Law P5
    @Test func `readers of unwritten spaces share one instance and leave no space behind`() throws {
        let bench = try Bench()
        for number in 0..<50 {
            #expect(bench.read("b.value", in: SpaceName("s\(number)")!) == "value=0")
            #expect(bench.stores[0].loadedCount == 0 && bench.stores[0].memory == 0)
        }
        #expect(bench.made == [1, 1, 0])
    }

    // Law P5
    @Test func `an unwritten space that was read is written and read like any other`() throws {
        let bench = try Bench()
        #expect(bench.read("a.value") == "value=0")
        let stamp = try #require(bench.stores[0].stamp(of: .main))
        #expect(bench.stores[0].stamp(of: .main) == stamp)
        #expect(bench.act("a") == "1 a.value")
        #expect(bench.stores[0].stamp(of: .main) != stamp)
        #expect(bench.read("a.value") == "value=1")
        bench.unload()
        #expect(bench.stores[0].stamp(of: .main) == nil)
        #expect(bench.read("a.value") == "value=1")
        var existed: Bool?
        bench.stores[0].forget(.main) { existed = try? $0.get() }
        #expect(existed == true)
        #expect(bench.read("a.value") == "value=0")
        #expect(bench.stores[0].stamp(of: .main) != stamp)
        #expect(bench.stores[0].loadedCount == 0)
    }

    // Law P5
    @Test func `a commit of another process clears the mark of an unwritten space`() throws {
        let stand = try Stand(isShared: true)
        #expect(try stand.read("ledger.sum") == "sum=0")
        let facts = [Fact(variable: "ledger.sum", value: Array("7".utf8))]
        let record = CommitRecord(
            space: .main, version: 1, at: stand.clock.now, action: "ledger/add", input: nil, facts: facts)
        #expect(try stand.journal.append([record]) == [.kept])
        stand.executor.runPosted()
        #expect(try stand.read("ledger.sum") == "sum=7")
    }
}
