import Testing

@testable import Reactive

/// Law B17: a subscription that takes large tables in slices ends with the value of the present rows, and no listener gets
/// the value of a part.
@Suite struct RowBuildTests {
    private typealias Index = TableIndex<Int, Int>

    /// A table with everything that can be derived from it by row. Each instance has observables of its own.
    private final class Derived {
        let graph: Graph
        let index: Index
        let words: WordIndex<Int, Int>
        /// The values of the observables, as texts that are made when they are asked for.
        var values: [String: () -> String] = [:]
        /// The number of values of each observable.
        var counts: [String: Int] = [:]
        private var subscriptions: [Subscription] = []
        private let start: [() -> Void]

        init(_ table: Table<Int, Int>, _ other: Table<Int, Int>, in graph: Graph) {
            self.graph = graph
            let index = Index(of: table) { key, row in
                row % 7 == 0 ? nil : IndexPlace([UInt8(row % 3), UInt8(row % 5)], groupLength: 1)
            }
            let whole = Index(of: table) { _, row in IndexPlace([UInt8(row % 11)], groupLength: 0) }
            let words = WordIndex(of: table) { _, row -> [String: UInt8] in
                row % 2 == 0 ? ["even": 1, "r\(row % 13)": 2] : ["r\(row % 13)": 1]
            }
            (self.index, self.words) = (index, words)
            let form = Index.PlaceForm(Int.self, form: { $1 }) { key, row in
                (row as? Int).flatMap { index.place(key, $0) }
            }
            let evens = table.filter { _, row in row % 2 == 0 }
            let joined = evens.joined(with: other, by: { _, row in row % 50 }) { _, row, other in
                row * 1_000 + (other ?? 0)
            }
            let groups = table.group { $0 % 4 }
            var start: [() -> Void] = []
            weak var me: Derived?
            func add<Value>(_ name: String, _ observable: Observable<Value>, _ text: @escaping (Value) -> String) {
                start.append { me?.watch(name, observable, text) }
            }
            func list(_ list: RowList<Int, Int>) -> String { "\(list.rows)" }
            add("sorted", table.sorted(), list)
            add("falling", evens.sorted(by: .descending { $0 }), list)
            add("mapped", evens.sorted(by: { $0 }).limit(40).map { _, row in row + 1 }, list)
            add("joined", joined.sorted(by: { $0 }), list)
            add("sum", table.fold(0, add: { $0 + $1 }, remove: { $0 - $1 }), String.init)
            add("count", evens.rowCount(), String.init)
            add("groups", groups.sum { $0 }.sorted(), list)
            add("group", groups.rows(of: 1).sorted(by: { $0 }), list)
            add("indexed", index.rows(of: [[0], [1]]).sorted(by: { $0 }), list)
            add("whole", whole.list(of: [], form: form), list)
            add("few", index.list(of: [2], limit: 10, form: form), list)
            add(
                "found",
                words.rows(.init(full: ["even"], prefix: "r1")) { _, row in
                    row % 2 == 0 && "r\(row % 13)".hasPrefix("r1")
                }.sorted(by: { $0 }), list)
            // Each value counts: a listener that got parts would have more.
            add("steps", evens.rowCount().scan(0) { count, _ in count + 1 }, String.init)
            add("lists", table.sorted().map { $0.count }, String.init)
            self.start = start
            me = self
            self.me = { me }
        }

        private var me: () -> Derived? = { nil }

        func begin() { for body in start { body() } }

        func end() { subscriptions = [] }

        private func watch<Value>(_ name: String, _ observable: Observable<Value>, _ text: @escaping (Value) -> String)
        {
            subscriptions.append(
                observable.watch(in: graph) { [unowned self] value in
                    values[name] = { text(value) }
                    counts[name, default: 0] += 1
                })
        }
    }

    private static func commit(_ graph: Graph, _ table: Table<Int, Int>, _ other: Table<Int, Int>, _ random: inout Dice)
    {
        graph.commit { transaction in
            if Int.random(in: 0..<40, using: &random) == 0 { transaction.removeAll(of: table) }
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                let key = Int.random(in: 0..<9_000, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: transaction[table, key] = nil
                case 1: transaction[other, key % 60] = Int.random(in: 0..<100, using: &random)
                default: transaction[table, key] = Int.random(in: 0..<1_000, using: &random)
                }
            }
        }
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func `the last slice leads to the value of the present rows`(_ seed: UInt64) {
        var random = Dice(seed: seed)
        let graph = Graph()
        let table = Table<Int, Int>(Dictionary(uniqueKeysWithValues: (0..<6_000).map { ($0, $0 % 997) }))
        let other = Table<Int, Int>()
        let sliced = Derived(table, other, in: graph)
        let build = RowBuild(in: graph)
        build.begin { sliced.begin() }
        #expect(!build.isComplete)
        #expect(sliced.values["steps"] == nil && sliced.values["lists"] == nil)
        while !build.isComplete {
            if Int.random(in: 0..<3, using: &random) > 0 { Self.commit(graph, table, other, &random) }
            build.takeSlice()
        }
        let whole = Derived(table, other, in: graph)
        func check() {
            sliced.index.checkInvariants()
            sliced.words.checkInvariants()
            graph.checkInvariants()
            for (name, value) in whole.values where name != "steps" {
                #expect(sliced.values[name]?() == value(), "\(name) of seed \(seed)")
            }
        }
        whole.begin()
        #expect(sliced.values["steps"]?() == "1" && sliced.counts["lists"] == 1)
        check()
        for _ in 0..<4 {
            Self.commit(graph, table, other, &random)
            check()
        }
        whole.end()
        sliced.end()
        #expect(graph.activeCount == 0 && !graph.isBuilding)
    }

    @Test func `a build that meets the rows of another one ends after it`() {
        let graph = Graph()
        let table = Table<Int, Int>(Dictionary(uniqueKeysWithValues: (0..<20_000).map { ($0, $0) }))
        let evens = table.filter { _, row in row % 2 == 0 }
        var (count, size) = (0, 0)
        let (one, other) = (RowBuild(in: graph), RowBuild(in: graph))
        var subscriptions: [Subscription] = []
        one.begin { subscriptions.append(evens.sorted().watch(in: graph) { size = $0.count }) }
        one.takeSlice()
        other.begin { subscriptions.append(evens.rowCount().watch(in: graph) { count = $0 }) }
        #expect(!one.isComplete && !other.isComplete && count == 0)
        other.finish()
        #expect(one.isComplete && count == 10_000 && size == 10_000)
        withExtendedLifetime(subscriptions) {}
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `for a listener from outside the slices that are left come at once, also within a commit`(_ seed: UInt64) {
        var random = Dice(seed: seed)
        let graph = Graph()
        let table = Table<Int, Int>(Dictionary(uniqueKeysWithValues: (0..<6_000).map { ($0, $0) }))
        let which = Variable(false)
        let evens = table.filter { _, row in row % 2 == 0 }
        let sum = evens.fold(0, add: { $0 + $1 }, remove: { $0 - $1 })
        let chosen = which.flatMapLatest { $0 ? sum.map { $0 + 0 } : .just(-1) }
        var subscriptions: [Subscription] = []
        var (first, outside, found) = (0, [Int](), 0)
        subscriptions.append(chosen.watch(in: graph) { outside.append($0) })
        let build = RowBuild(in: graph)
        build.begin { subscriptions.append(sum.watch(in: graph) { first = $0 }) }
        for _ in 0..<(seed % 4 + 1) * 2 { build.takeSlice() }
        // The commit that chooses the sum writes the table as well.
        graph.commit { transaction in
            transaction[which] = true
            for _ in 0..<200 {
                let key = Int.random(in: 0..<7_000, using: &random)
                transaction[table, key] = seed % 2 == 0 || key % 3 > 0 ? key * 2 : nil
            }
            let rows = transaction.rows(of: table)
            found = rows.values.reduce(0) { $1 % 2 == 0 ? $0 + $1 : $0 }
        }
        #expect(outside == [-1, found])
        build.finish()
        #expect(first == found && build.isComplete && !graph.isBuilding)
        graph.commit { $0[table, 3] = 1_000_000 }
        #expect(outside.last == first)
        graph.checkInvariants()
    }

    @Test func `an observer from outside gets its value at once`() {
        let graph = Graph()
        let table = Table<Int, Int>(Dictionary(uniqueKeysWithValues: (0..<5_000).map { ($0, $0) }))
        let evens = table.filter { _, row in row % 2 == 0 }
        let build = RowBuild(in: graph)
        var subscriptions: [Subscription] = []
        build.begin { subscriptions.append(evens.rowCount().watch(in: graph) { _ in }) }
        graph.commit { $0[table, 5_000] = 5_000 }
        var outside: [Int] = []
        subscriptions.append(evens.rowCount().map { $0 }.watch(in: graph) { outside.append($0) })
        #expect(outside == [2_501])
        build.takeSlice()
        #expect(build.isComplete && outside == [2_501])
        graph.commit { $0[table, 0] = nil }
        #expect(outside == [2_501, 2_500])
    }

    @Test func `a subscription that ends among slices leaves nothing`() {
        let graph = Graph()
        let table = Table<Int, Int>(Dictionary(uniqueKeysWithValues: (0..<50_000).map { ($0, $0) }))
        let evens = table.filter { _, row in row % 2 == 0 }
        let build = RowBuild(in: graph)
        var subscription: Subscription?
        build.begin { subscription = evens.rowCount().watch(in: graph) { _ in } }
        build.takeSlice()
        subscription?.cancel()
        #expect(graph.activeCount == 0)
        var count = 0
        subscription = evens.rowCount().watch(in: graph) { count = $0 }
        #expect(count == 25_000)
        build.takeSlice()
        #expect(build.isComplete && !graph.isBuilding)
    }

    @Test func `a small table is taken at once`() {
        let graph = Graph()
        let table = Table<Int, Int>([1: 2, 3: 4])
        let build = RowBuild(in: graph)
        var values: [Int] = []
        var subscription: Subscription?
        build.begin { subscription = table.rowCount().watch(in: graph) { values.append($0) } }
        #expect(build.isComplete && values == [2])
        withExtendedLifetime(subscription) {}
    }

    @Test func `an index that is asked for among its slices is made at once`() {
        let graph = Graph()
        let table = Table<Int, Int>(Dictionary(uniqueKeysWithValues: (0..<20_000).map { ($0, $0) }))
        let index = Index(of: table) { _, row in IndexPlace([UInt8(row % 3)], groupLength: 1) }
        let build = RowBuild(in: graph)
        var isMade = false
        build.begin { index.buildInSlices(of: build) { isMade = true } }
        build.takeSlice()
        build.takeSlice()
        build.takeSlice()
        graph.commit { transaction in
            transaction[table, 7] = nil
            #expect(index.entries.count == 19_999)
            transaction[table, 20_000] = 1
        }
        index.checkInvariants()
        #expect(index.keptEntries.count == 20_000 && !isMade)
        build.finish()
        #expect(isMade)
        index.checkInvariants()
    }
}
