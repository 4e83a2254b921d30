import Reactive
import Testing

/// Lists made of lists.
struct MapListTests {
    @Test(
        arguments: [
            (1, 11, "", []), (1, 29, "move 0 to 1 as 2", [1]), (4, 15, "insert 1 at 1", [4]), (2, nil, "remove 1", []),
            (3, 55, "replace 2 by 5", [3]),
            (2, 31, "move 1 to 2 as 3", [2]),
        ] as [(Int, Int?, String, [Int])])
    func `mapped rows are computed for what changed, and delivered where they differ: Laws B8, B11`(
        key: Int, row: Int?, script: String, computed: [Int]
    ) {
        let graph = Graph()
        let table = Table([1: 10, 2: 20, 3: 30])
        var keys: [Int] = []
        let reader = ListReader<Int, Int>()
        let tens = table.sorted(by: \.self).map { key, row in
            keys.append(key)
            return row / 10
        }
        let subscription = reader.watch(tens, in: graph)
        keys = []
        graph.commit { $0[table, key] = row }
        #expect(reader.script == script)
        #expect(reader.delivered == (script.isEmpty ? 1 : 2))
        #expect(keys == (script.isEmpty ? [key] : computed))
        withExtendedLifetime(subscription) {}
    }

    @Test func `a row that only moves is not another: Laws B8, B11`() {
        let graph = Graph()
        let table = Table([1: 10, 2: 20])
        let reader = ListReader<Int, String>()
        let subscription = reader.watch(table.sorted(by: \.self).map { key, _ in "row \(key)" }, in: graph)
        graph.commit { $0[table, 1] = 30 }
        #expect(reader.script == "move 0 to 1" && reader.rows == ["row 2", "row 1"])
        withExtendedLifetime(subscription) {}
    }

    @Test func `a version in which nothing changed is the version before: Law B11`() {
        let graph = Graph()
        let table = Table([1: 10])
        let tens = table.sorted(by: \.self).map { _, row in row / 10 }
        let reader = ListReader<Int, Int>()
        let late = ListReader<Int, Int>()
        let subscription = reader.watch(tens, in: graph)
        graph.commit { $0[table, 1] = 11 }
        let other = late.watch(tens, in: graph)
        #expect(reader.version == late.version && late.rows == [1])
        graph.commit { $0[table, 1] = 20 }
        #expect(reader.version == late.version && late.wholes == 1 && late.rows == [2])
        withExtendedLifetime((subscription, other)) {}
    }

    @Test func `the number of rows is delivered when it changes: Law B10`() {
        let graph = Graph()
        let table = Table([1: 10])
        var counts: [Int] = []
        let subscription = table.sorted().rowCount().watch(in: graph) { counts.append($0) }
        for (key, row) in [(1, 11), (2, 20), (1, nil), (2, 21)] as [(Int, Int?)] {
            graph.commit { $0[table, key] = row }
        }
        #expect(counts == [1, 2, 1])
        withExtendedLifetime(subscription) {}
    }

    @Test func `a row that cannot be made fails its list alone: Law O5`() {
        let graph = Graph()
        let table = Table([1: 10])
        let list = table.sorted()
        let reader = ListReader<Int, Int>()
        var hasFailed = false
        let mapped = list.map { _, row in
            if row == 0 { throw Broken() }
            return row
        }
        let subscriptions = [
            mapped.watch(in: graph, receive: { _ in }, end: { _ in hasFailed = true }), reader.watch(list, in: graph),
        ]
        graph.commit { $0[table, 1] = 0 }
        #expect(hasFailed && reader.rows == [0])
        graph.checkInvariants()
        withExtendedLifetime(subscriptions) {}
    }
}
