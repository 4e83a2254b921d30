import Reactive
import Testing

/// Rows in an order.
struct SortedRowsTests {
    private struct Item: Equatable, CustomStringConvertible {
        var name: String
        var price: Int
        var description: String { "\(name)\(price)" }
    }

    private static let items = [
        1: Item(name: "a", price: 5), 2: Item(name: "b", price: 3), 3: Item(name: "c", price: 5),
    ]

    @Test func `rows stand in their order, those that it leaves open in the order of keys: Law B10`() {
        let graph = Graph()
        let table = Table(Self.items)
        let lists: [(SortedRows<Int, Item>, String)] = [
            (table.sorted(), "a5 b3 c5"), (table.sorted(by: \.price), "b3 a5 c5"),
            (table.sorted(by: .descending(\.price)), "a5 c5 b3"),
            (table.sorted { $0.name > $1.name }, "c5 b3 a5"),
            (table.sorted(by: .ascending(\.price).then(.descending(\.name))), "b3 c5 a5"),
        ]
        for (list, expected) in lists {
            let reader = ListReader<Int, Item>()
            let subscription = reader.watch(list, in: graph)
            #expect(reader.rows.map(\.description).joined(separator: " ") == expected)
            #expect(reader.wholes == 1)
            subscription.cancel()
        }
        #expect(graph.activeCount == 0)
    }

    @Test(arguments: [
        (4, Item(name: "d", price: 4), "insert d4 at 1"), (2, nil, "remove 0"),
        (2, Item(name: "b", price: 4), "replace 0 by b4"),
        (2, Item(name: "B", price: 3), "replace 0 by B3"), (2, Item(name: "b", price: 6), "move 0 to 2 as b6"),
        (3, Item(name: "c", price: 1), "move 2 to 0 as c1"), (1, Item(name: "a", price: 5), ""), (9, nil, ""),
    ])
    private func `each row that changed makes one edit: Law B11`(key: Int, row: Item?, script: String) {
        let graph = Graph()
        let table = Table(Self.items)
        let reader = ListReader<Int, Item>()
        let subscription = reader.watch(table.sorted(by: \.price), in: graph)
        graph.commit { $0[table, key] = row }
        #expect(reader.script == script)
        #expect(reader.delivered == (script.isEmpty ? 1 : 2) && reader.wholes == 1)
        withExtendedLifetime(subscription) {}
    }

    @Test func `several edits of a turn apply one after the other: Law B11`() {
        let graph = Graph()
        let table = Table<Int, Int>([1: 10, 2: 20, 3: 30])
        let reader = ListReader<Int, Int>()
        let subscription = reader.watch(table.sorted(by: { $0 }), in: graph)
        graph.commit { transaction in
            transaction[table, 1] = 40
            transaction[table, 4] = 25
            transaction[table, 2] = nil
        }
        #expect(reader.script == "move 0 to 2 as 40, insert 25 at 1, remove 0")
        #expect(reader.rows == [25, 30, 40])
        withExtendedLifetime(subscription) {}
    }

    @Test func `many changes of a turn come as a whole, and few of many as edits: Law B11`() {
        let graph = Graph()
        let table = Table(Dictionary(uniqueKeysWithValues: (0..<1_000).map { ($0, $0) }))
        let reader = ListReader<Int, Int>()
        let subscription = reader.watch(table.sorted(by: \.self), in: graph)
        graph.commit { for key in 0..<250 { $0[table, key] = -key - 1 } }
        #expect(reader.wholes == 1 && reader.edits.count == 250)
        graph.commit { for key in 0..<300 { $0[table, key] = key + 2_000 } }
        #expect(reader.wholes == 2 && reader.rows == Array(300..<1_000) + Array(2_000..<2_300))
        graph.commit { $0.removeAll(of: table) }
        #expect(reader.wholes == 3 && reader.rows.isEmpty)
        graph.commit { $0[table, 7] = 7 }
        #expect(reader.script == "insert 7 at 0")
        withExtendedLifetime(subscription) {}
    }

    @Test func `a reader holds a version as it was: Law B12`() {
        let graph = Graph()
        let table = Table(Dictionary(uniqueKeysWithValues: (0..<100).map { ($0, $0) }))
        var held: [RowList<Int, Int>] = []
        let subscription = table.sorted(by: .descending(\.self)).watch(in: graph) { held.append($0) }
        for step in 0..<100 { graph.commit { $0[table, step] = step.isMultiple(of: 3) ? nil : step + 1_000 } }
        var model = Dictionary(uniqueKeysWithValues: (0..<100).map { ($0, $0) })
        for (step, list) in held.enumerated() {
            #expect(list.rows == model.values.sorted(by: >))
            list.tree.checkInvariants()
            if step < 100 { model[step] = step.isMultiple(of: 3) ? nil : step + 1_000 }
        }
        #expect(held.count == 101)
        withExtendedLifetime(subscription) {}
    }

    @Test func `a newcomer takes the whole, and a version is never taken for another's: Laws O4, B11`() {
        let graph = Graph()
        let table = Table([1: 1])
        let list = table.sorted(by: \.self)
        let first = ListReader<Int, Int>()
        let late = ListReader<Int, Int>()
        let subscription = first.watch(list, in: graph)
        graph.commit { $0[table, 2] = 2 }
        let other = late.watch(list, in: graph)
        graph.commit { $0[table, 3] = 3 }
        #expect(late.rows == [1, 2, 3] && late.wholes == 1 && late.delivered == 2)
        #expect(first.version == late.version)
        subscription.cancel()
        other.cancel()
        graph.commit { $0[table, 1] = nil }
        let again = first.watch(list, in: graph)
        #expect(first.rows == [2, 3] && first.wholes == 2)
        graph.commit { $0[table, 1] = 1 }
        #expect(first.rows == [1, 2, 3] && first.wholes == 2)
        withExtendedLifetime(again) {}
    }

    @Test func `an order that throws fails its list alone: Laws O5, O6`() {
        let graph = Graph()
        let table = Table([1: 1, 2: 2])
        let list = table.sorted { one, other in
            if one == 0 || other == 0 { throw Broken() }
            return one < other
        }
        var events: [String] = []
        func watch() -> Subscription {
            list.watch(in: graph, receive: { events.append("\($0.rows)") }, end: { _ in events.append("failed") })
        }
        let healthy = ListReader<Int, Int>()
        let subscriptions = [watch(), healthy.watch(table.sorted(by: \.self), in: graph)]
        graph.commit { $0[table, 3] = 0 }
        graph.commit { $0[table, 3] = 3 }
        let again = watch()
        #expect(events == ["[1, 2]", "failed", "[1, 2, 3]"])
        #expect(healthy.rows == [1, 2, 3])
        graph.checkInvariants()
        withExtendedLifetime((subscriptions, again)) {}
    }

    @Test(arguments: 0..<10)
    func `an order that contradicts itself loses no row and keeps none: Law B10`(seed: UInt64) {
        var dice = Dice(seed: seed)
        let graph = Graph()
        let table = Table<Int, Int>()
        let reader = ListReader<Int, Int>()
        // Each of three comes before the next, and the last before the first.
        let subscription = reader.watch(table.sorted { ($1 - $0 + 3) % 3 == 1 }, in: graph)
        var model: [Int: Int] = [:]
        for _ in 0..<150 {
            let key = Int.random(in: 0..<60, using: &dice)
            let row = Bool.random(using: &dice) ? nil : Int.random(in: 0..<3, using: &dice)
            model[key] = row
            graph.commit { $0[table, key] = row }
            graph.checkInvariants()
            let rows = Dictionary(uniqueKeysWithValues: reader.entries.map { ($0.key, $0.row) })
            #expect(rows == model)
        }
        withExtendedLifetime(subscription) {}
    }
}
