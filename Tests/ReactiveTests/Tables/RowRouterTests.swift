import Reactive
import Testing

/// Rows that are observed one by one.
struct RowRouterTests {
    @Test func `a change computes the row that changed, however many rows are observed: Law B15`() {
        let graph = Graph()
        let table = Table(Dictionary(uniqueKeysWithValues: (0..<2_000).map { ($0, $0) }))
        var computed = 0
        var told: [Int: [Int?]] = [:]
        let subscriptions = (0..<1_000).map { key in
            table.row(key).map { row in
                computed += 1
                return row
            }.watch(in: graph) { told[key, default: []].append($0) }
        }
        #expect(computed == 1_000 && told.allSatisfy { $0.value == [$0.key] })
        computed = 0
        graph.commit { $0[table, 7] = -7 }
        #expect(computed == 1 && told[7] == [7, -7])
        graph.commit { $0[table, 1_500] = 0 }
        #expect(computed == 1)
        graph.commit { transaction in
            transaction[table, 7] = nil
            transaction[table, 8] = 88
        }
        #expect(computed == 3 && told[7] == [7, -7, nil] && told[8] == [8, 88])
        graph.checkInvariants()
        withExtendedLifetime(subscriptions) {}
    }

    @Test func `many observers of one row share its value, and one that comes late receives it: Laws B15, O3, O4`() {
        let graph = Graph()
        let table = Table([1: "a"])
        let row = table.row(1)
        var told: [String] = []
        let first = row.watch(in: graph) { told.append("1 \($0 ?? "-")") }
        let second = row.watch(in: graph) { told.append("2 \($0 ?? "-")") }
        let third = table.row(1).watch(in: graph) { told.append("3 \($0 ?? "-")") }
        graph.commit { $0[table, 1] = "b" }
        first.cancel()
        graph.commit { $0[table, 1] = nil }
        #expect(told == ["1 a", "2 a", "3 a", "1 b", "2 b", "3 b", "2 -", "3 -"])
        second.cancel()
        third.cancel()
        #expect(graph.activeCount == 0)
        graph.checkInvariants()
    }

    @Test func `a row of derived rows computes no other row: Law B15`() {
        let graph = Graph()
        let table = Table(Dictionary(uniqueKeysWithValues: (0..<5_000).map { ($0, $0) }))
        let names = Table(Dictionary(uniqueKeysWithValues: (0..<5_000).map { ($0, "n\($0)") }))
        var steps = 0
        let lines = table.filter { _, row in
            steps += 1
            return row % 2 == 0
        }.joined(with: names) { _, row, name in
            steps += 1
            return "\(row) \(name ?? "-")"
        }
        var told: [String] = []
        let subscription = lines.row(42).watch(in: graph) { told.append($0 ?? "none") }
        #expect(steps == 2)
        graph.commit { transaction in
            transaction[table, 42] = 44
            transaction[names, 42] = "m"
            transaction[table, 43] = 2
        }
        #expect(steps == 4)
        graph.commit { $0[table, 42] = 1 }
        graph.commit { $0[names, 42] = "k" }
        #expect(told == ["42 n42", "44 m", "none"])
        withExtendedLifetime(subscription) {}
    }

    @Test func `an observer moves to another row within the turn that changes it: Laws B15, T1`() {
        let graph = Graph()
        let table = Table([1: "a", 2: "b"])
        let selected = Variable(1)
        var told: [String] = []
        let subscription = selected.flatMapLatest { table.row($0) }.watch(in: graph) { told.append($0 ?? "-") }
        graph.commit { transaction in
            transaction[selected] = 2
            transaction[table, 1] = "A"
            transaction[table, 2] = "B"
        }
        graph.commit { transaction in
            transaction[selected] = 3
            transaction[table, 3] = "c"
        }
        graph.commit { $0[table, 2] = "lost" }
        graph.commit { $0[table, 3] = nil }
        #expect(told == ["a", "B", "c", "-"])
        graph.checkInvariants()
        withExtendedLifetime(subscription) {}
    }

    @Test func `a row whose closure fails ends, and the others go on: Laws B15, O5`() {
        let graph = Graph()
        let table = Table([1: 1, 2: 2])
        let halves = table.map { _, row in
            if row == 13 { throw Broken() }
            return row * 2
        }
        var told: [String] = []
        let subscriptions = [1, 2].map { key in
            halves.row(key).watch(in: graph, receive: { told.append("\(key): \($0 ?? 0)") }) { _ in
                told.append("\(key) ended")
            }
        }
        graph.commit { transaction in
            transaction[table, 1] = 13
            transaction[table, 2] = 3
        }
        graph.commit { $0[table, 1] = 1 }
        #expect(told == ["1: 2", "2: 4", "1 ended", "2: 6"])
        withExtendedLifetime(subscriptions) {}
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `observed rows and groups are as if looked up after each turn: Laws B15, B16, B9`(seed: UInt64) {
        var dice = Dice(seed: seed)
        let graph = Graph()
        let table = Table<Int, Int>()
        let other = Table<Int, Int>()
        let groups = table.group(by: { $0 % 5 })
        let sums = groups.sum({ $0 })
        let odd = table.filter { _, row in row % 2 == 1 }
        let joined = table.joined(with: other) { _, row, other in row * 100 + (other ?? 0) }
        var model: [Int: Int] = [:]
        var added: [Int: Int] = [:]

        struct Observed {
            let subscription: Subscription
            let value: () -> Int?
            let expected: () -> Int?
            let changes: () -> Int
        }
        var observed: [Observed] = []
        func observe(_ row: Observable<Int?>, _ expected: @escaping () -> Int?) {
            let known = Box<Int?>(nil)
            let changes = Box(0)
            let subscription = row.watch(in: graph) {
                known.value = $0
                changes.value += 1
            }
            observed.append(
                Observed(
                    subscription: subscription, value: { known.value }, expected: expected, changes: { changes.value }))
        }
        for _ in 0..<150 {
            if Int.random(in: 0..<3, using: &dice) == 0 {
                let key = Int.random(in: 0..<12, using: &dice)
                let group = key % 5
                switch Int.random(in: 0..<5, using: &dice) {
                case 0: observe(table.row(key)) { model[key] }
                case 1: observe(odd.row(key)) { model[key].flatMap { $0 % 2 == 1 ? $0 : nil } }
                case 2: observe(joined.row(key)) { model[key].map { $0 * 100 + (added[key] ?? 0) } }
                case 3:
                    observe(sums.row(group)) {
                        let members = model.values.filter { $0 % 5 == group }
                        return members.isEmpty ? nil : members.reduce(0, +)
                    }
                default:
                    observe(groups.rows(of: group).fold(0, add: { $0 + $1 }, remove: { $0 - $1 }).map { Optional($0) })
                    {
                        model.values.filter { $0 % 5 == group }.reduce(0, +)
                    }
                }
            }
            if Int.random(in: 0..<4, using: &dice) == 0, !observed.isEmpty {
                observed.remove(at: Int.random(in: observed.indices, using: &dice)).subscription.cancel()
            }
            let before = observed.map { ($0.expected(), $0.changes()) }
            graph.commit { transaction in
                if Int.random(in: 0..<20, using: &dice) == 0 {
                    transaction.removeAll(of: table)
                    model = [:]
                }
                for _ in 0..<Int.random(in: 0...3, using: &dice) {
                    let key = Int.random(in: 0..<12, using: &dice)
                    let row = Int.random(in: 0..<4, using: &dice) == 0 ? nil : Int.random(in: 0..<30, using: &dice)
                    if Int.random(in: 0..<4, using: &dice) == 0 {
                        transaction[other, key] = row
                        added[key] = row
                    } else {
                        transaction[table, key] = row
                        model[key] = row
                    }
                }
            }
            graph.checkInvariants()
            for (one, before) in zip(observed, before) {
                #expect(one.value() == one.expected())
                // At most once in a turn, and not where nothing changed in the row.
                #expect(one.changes() - before.1 <= 1)
            }
        }
        for one in observed { one.subscription.cancel() }
        #expect(graph.activeCount == 0)
    }

    @Test func `a change is looked at once for all observed groups: Law B16`() {
        let graph = Graph()
        let table = Table(Dictionary(uniqueKeysWithValues: (0..<1_000).map { ($0, $0) }))
        var asked = 0
        let groups = table.group { row in
            asked += 1
            return row
        }
        var told = 0
        let subscriptions = (0..<1_000).map { group in groups.rows(of: group).watch(in: graph) { _ in told += 1 } }
        #expect(asked == 1_000 && told == 1_000)
        graph.commit { $0[table, 3] = 4 }
        // The group that the row leaves, and the one that it enters.
        #expect(asked == 1_002 && told == 1_002)
        withExtendedLifetime(subscriptions) {}
    }
}
