import Reactive
import Testing

/// Parts of a list.
struct WindowTests {
    @Test(
        arguments: [
            ([(9, 60)], ""), ([(9, 25)], "insert 25 at 2, remove 3"), ([(2, 21)], "replace 1 by 21"),
            ([(2, nil)], "remove 1, insert 40 at 2"),
            ([(1, 25)], "move 0 to 1 as 25"), ([(1, 35)], "move 0 to 2 as 35"), ([(1, 45)], "remove 0, insert 40 at 2"),
            ([(5, 15)], "insert 15 at 1, remove 3"), ([(5, 5)], "remove 2, insert 5 at 0"), ([(5, 45)], ""),
            ([(9, 5)], "remove 2, insert 5 at 0"),
            ([(1, nil), (2, nil), (3, nil), (4, nil)], "remove 0, remove 0, remove 0, insert 50 at 0"),
        ] as [([(Int, Int?)], String)])
    func `the first rows change by edits, and only where one of them changed: Laws B11, B13`(
        writes: [(Int, Int?)], script: String
    ) {
        let graph = Graph()
        let table = Table([1: 10, 2: 20, 3: 30, 4: 40, 5: 50])
        let reader = ListReader<Int, Int>()
        let subscription = reader.watch(table.sorted(by: \.self).limit(3), in: graph)
        #expect(reader.rows == [10, 20, 30])
        graph.commit { for (key, row) in writes { $0[table, key] = row } }
        #expect(reader.script == script)
        #expect(reader.delivered == (script.isEmpty ? 1 : 2) && reader.wholes == 1)
        withExtendedLifetime(subscription) {}
    }

    @Test func `a window after an entry holds its place when the entry moves or goes: Law B13`() {
        let graph = Graph()
        let table = Table([1: 10, 2: 20, 3: 30, 4: 40, 5: 50])
        let list = table.sorted(by: \.self)
        let page = ListReader<Int, Int>()
        let start = ListReader<Int, Int>()
        let subscriptions = [
            page.watch(list.window(after: .init(key: 2, row: 20), limit: 2), in: graph),
            start.watch(list.window(after: nil, limit: 2), in: graph),
        ]
        #expect(page.rows == [30, 40] && start.rows == [10, 20])
        graph.commit { $0[table, 2] = nil }
        #expect(page.rows == [30, 40] && page.delivered == 1 && start.rows == [10, 30])
        graph.commit { $0[table, 2] = 45 }
        #expect(page.rows == [30, 40] && page.delivered == 1)
        graph.commit { $0[table, 6] = 20 }
        #expect(page.rows == [20, 30] && page.script == "remove 1, insert 20 at 0")
        graph.commit { for key in 1...6 { $0[table, key] = nil } }
        #expect(page.rows.isEmpty && start.rows.isEmpty)
        graph.commit { $0[table, 1] = 21 }
        #expect(page.rows == [21] && page.script == "insert 21 at 0" && start.rows == [21])
        withExtendedLifetime(subscriptions) {}
    }

    @Test func `a window of no rows and one beyond the end are empty: Law B13`() {
        let graph = Graph()
        let table = Table([1: 10])
        let list = table.sorted()
        let readers = [ListReader<Int, Int>(), ListReader<Int, Int>(), ListReader<Int, Int>()]
        let windows = [list.limit(0), list.window(limit: 3) { _ in 100 }, list.window(limit: 3) { _ in -100 }]
        let subscriptions = zip(readers, windows).map { $0.watch($1, in: graph) }
        graph.commit { $0[table, 2] = 20 }
        #expect(readers.map(\.rows) == [[], [], [10, 20]])
        #expect(readers.map(\.delivered) == [1, 1, 2])
        withExtendedLifetime(subscriptions) {}
    }

    @Test func `a place that cannot be found fails its window alone: Law O5`() {
        let graph = Graph()
        let table = Table([1: 10])
        let list = table.sorted()
        let reader = ListReader<Int, Int>()
        var hasFailed = false
        let window = list.window(limit: 1) { list in
            if list.count == 2 { throw Broken() }
            return 0
        }
        let subscriptions = [
            window.watch(in: graph, receive: { _ in }, end: { _ in hasFailed = true }), reader.watch(list, in: graph),
        ]
        graph.commit { $0[table, 2] = 20 }
        #expect(hasFailed && reader.rows == [10, 20])
        graph.checkInvariants()
        withExtendedLifetime(subscriptions) {}
    }
}
