import Reactive
import Testing

/// Derivations of tables, compared with a computation from all rows.
struct DerivedTableTests {
    /// The number of joined rows and of folded rows.
    private final class Counts {
        var joined = 0
        var folded = 0
    }

    @Test(arguments: 0..<60)
    func `joins and folds equal a computation from all rows, at the cost of the changes: Laws B4, B5, T1`(seed: UInt64)
    {
        var dice = Dice(seed: seed)
        let graph = Graph()
        let orders = Table<Int, Int>()
        let prices = Table<Int, Int>([0: 1, 1: 2])
        let counts = Counts()
        let lines = orders.joined(with: prices) { key, quantity, price in
            counts.joined += 1
            return key * 1_000_000 + quantity * (price ?? 0)
        }
        let total = lines.fold(
            0,
            add: {
                counts.folded += 1; return $0 + $1
            },
            remove: {
                counts.folded += 1; return $0 - $1
            })
        let list = lines.sorted().map { $0.map(\.row) }
        var totals: [Int] = []
        var lists: [[Int]] = []
        let subscriptions = [
            combineLatest(total, list, lines.rowCount()).watch(in: graph) { total, list, count in
                totals.append(total)
                lists.append(list)
                #expect(list.count == count)
            }
        ]
        var modelOrders: [Int: Int] = [:]
        var modelPrices = [0: 1, 1: 2]
        for _ in 0..<60 {
            counts.joined = 0
            counts.folded = 0
            var written: Set<Int> = []
            let before = totals.count
            let old = (modelOrders, modelPrices)
            graph.commit { transaction in
                for _ in 0..<Int.random(in: 1...3, using: &dice) {
                    let key = Int.random(in: 0..<5, using: &dice)
                    let row = Bool.random(using: &dice) ? Int.random(in: 1...3, using: &dice) : nil
                    written.insert(key)
                    if Bool.random(using: &dice) {
                        transaction[orders, key] = row
                        modelOrders[key] = row
                    } else {
                        transaction[prices, key] = row
                        modelPrices[key] = row
                    }
                }
                if Int.random(in: 0..<12, using: &dice) == 0 {
                    transaction.removeAll(of: orders)
                    modelOrders = [:]
                    written.formUnion(0..<5)
                }
            }
            graph.checkInvariants()
            let expected = modelOrders.keys.sorted().map { $0 * 1_000_000 + modelOrders[$0]! * (modelPrices[$0] ?? 0) }
            #expect(lists.last ?? [] == expected)
            #expect(totals.last == expected.reduce(0, +))
            #expect(totals.count <= before + 1)
            if old == (modelOrders, modelPrices) { #expect(totals.count == before) }
            #expect(counts.joined <= written.count * 2)
            #expect(counts.folded <= written.count * 2)
        }
        withExtendedLifetime(subscriptions) {}
    }

    @Test func `row(_:) follows the row of a key`() {
        let graph = Graph()
        let table = Table([1: "a"])
        var rows: [String?] = []
        let subscription = table.row(1).watch(in: graph) { rows.append($0) }
        graph.commit { $0[table, 2] = "b" }
        graph.commit { $0[table, 1] = "A" }
        graph.commit { $0[table, 1] = nil }
        #expect(rows == ["a", "A", nil])
        withExtendedLifetime(subscription) {}
    }

    @Test func `a join that throws fails, and is complete when it is observed again: Laws O5, O6`() {
        let graph = Graph()
        let table = Table([1: 1])
        let joined = table.joined(with: Table<Int, Int>()) { _, row, _ in
            if row == 2 { throw Broken() }
            return row
        }
        var events: [String] = []
        func watch() -> Subscription {
            joined.watch(
                in: graph, receive: { events.append("\($0.entries.map { $0.new ?? 0 })") },
                end: { _ in events.append("failed") })
        }
        let first = watch()
        graph.commit { $0[table, 1] = 2 }
        graph.commit { $0[table, 1] = 3 }
        let second = watch()
        #expect(events == ["[1]", "failed", "[3]"])
        withExtendedLifetime((first, second)) {}
    }
}
