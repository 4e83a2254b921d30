import Reactive
import Testing

/// Rows made of rows.
struct FilterRowsTests {
    /// The changes of each turn, entry by entry, in the order of keys.
    private func told<Row>(_ rows: Rows<Int, Row>, in graph: Graph, _ take: @escaping (String) -> Void) -> Subscription
    {
        rows.watch(in: graph) { changes in
            let entries = changes.entries.sorted { $0.key < $1.key }
            take(
                entries.map { "\($0.key):\($0.old.map { "\($0)" } ?? "-")>\($0.new.map { "\($0)" } ?? "-")" }.joined(
                    separator: " "))
        }
    }

    @Test func `a filter keeps the rows that satisfy its condition: Law B8`() {
        let graph = Graph()
        let table = Table([1: 1, 2: 20, 3: 30])
        var turns: [String] = []
        let subscription = told(table.filter { key, row in row >= 10 && key < 9 }, in: graph) { turns.append($0) }
        for (key, row) in [(1, 2), (1, 15), (2, 21), (3, 3), (2, nil), (9, 90)] as [(Int, Int?)] {
            graph.commit { $0[table, key] = row }
        }
        #expect(turns == ["2:->20 3:->30", "1:->15", "2:20>21", "3:30>-", "2:21>-"])
        withExtendedLifetime(subscription) {}
    }

    @Test func `mapped rows are computed for what changed, and delivered where they differ: Law B8`() {
        let graph = Graph()
        let table = Table([1: 11, 2: 22])
        var computed: [Int] = []
        let tens = table.map { key, row in
            computed.append(key)
            return row / 10
        }
        var turns: [String] = []
        let subscription = told(tens, in: graph) { turns.append($0) }
        computed = []
        for (key, row) in [(1, 12), (1, 20), (3, 33), (2, nil)] as [(Int, Int?)] {
            graph.commit { $0[table, key] = row }
        }
        #expect(turns == ["1:->1 2:->2", "1:1>2", "3:->3", "2:2>-"])
        #expect(computed == [1, 1, 3])
        withExtendedLifetime(subscription) {}
    }

    @Test func `rows that become nil are not there: Law B8`() {
        let graph = Graph()
        let table = Table([1: "1", 2: "x"])
        var turns: [String] = []
        let subscription = told(table.compactMap { _, row in Int(row) }, in: graph) { turns.append($0) }
        for (key, row) in [(2, "2"), (1, "y"), (1, nil)] as [(Int, String?)] { graph.commit { $0[table, key] = row } }
        #expect(turns == ["1:->1", "2:->2", "1:1>-"])
        withExtendedLifetime(subscription) {}
    }

    @Test func `without rows a newcomer is told so: Law B2`() {
        let graph = Graph()
        var turns: [String] = []
        let subscription = told(Table<Int, Int>().filter { _, _ in true }, in: graph) { turns.append($0) }
        #expect(turns == [""])
        withExtendedLifetime(subscription) {}
    }

    @Test func `a closure that throws fails its own rows, which are whole again when watched anew: Laws O5, O6`() {
        let graph = Graph()
        let table = Table([1: 1, 2: 2])
        let picky = table.filter { _, row in
            if row == 0 { throw Broken() }
            return row > 1
        }
        var events: [String] = []
        func watch() -> Subscription {
            picky.watch(
                in: graph, receive: { events.append("\($0.entries.map { $0.new ?? 0 })") },
                end: { _ in events.append("failed") })
        }
        let first = watch()
        graph.commit { $0[table, 1] = 0 }
        graph.commit { $0[table, 1] = 1 }
        let second = watch()
        #expect(events == ["[2]", "failed", "[2]"])
        graph.checkInvariants()
        withExtendedLifetime((first, second)) {}
    }
}
