import Reactive
import Testing

struct TableTests {
    /// The changes of each turn, entry by entry, in the order of keys.
    private func told(_ rows: Rows<Int, String>, in graph: Graph, _ take: @escaping (String) -> Void) -> Subscription {
        rows.watch(in: graph) { changes in
            let entries = changes.entries.sorted { $0.key < $1.key }.map {
                "\($0.key):\($0.old ?? "-")>\($0.new ?? "-")"
            }
            take(entries.joined(separator: " "))
        }
    }

    @Test func `a table delivers the changed entries, and all rows to a late observer: Laws B1, B2, B3`() {
        let graph = Graph()
        let table = Table([1: "a", 2: "b"])
        var first: [String] = []
        var late: [String] = []
        let one = told(table, in: graph) { first.append($0) }
        graph.commit { transaction in
            transaction[table, 1] = "A"
            transaction[table, 2] = nil
            transaction[table, 3] = "c"
            transaction[table, 3] = "C"
            transaction[table, 4] = nil
        }
        let other = told(table, in: graph) { late.append($0) }
        graph.commit { $0[table, 1] = "A" }
        graph.commit { $0[table, 9] = nil }
        #expect(first == ["1:->a 2:->b", "1:a>A 2:b>- 3:->C"])
        #expect(late == ["1:->A 3:->C"])
        graph.checkInvariants()
        withExtendedLifetime((one, other)) {}
    }

    @Test func `a transaction reads its written rows, and the old ones after it failed: Laws V3, V4`() {
        let graph = Graph()
        let table = Table([1: "a", 2: "b"])
        try? graph.commit { transaction throws(Broken) in
            transaction[table, 1] = nil
            transaction[table, 3] = "c"
            #expect(transaction[table, 1] == nil)
            #expect(transaction.rows(of: table) == [2: "b", 3: "c"])
            transaction.removeAll(of: table)
            #expect(transaction[table, 2] == nil)
            transaction[table, 5] = "e"
            #expect(transaction.rows(of: table) == [5: "e"])
            throw Broken()
        }
        graph.commit { #expect($0.rows(of: table) == [1: "a", 2: "b"]) }
    }

    @Test func `removing all rows and the writes after it are one change: Law B6`() {
        let graph = Graph()
        let table = Table([1: "a", 2: "b"])
        var changes: [String] = []
        let subscription = told(table, in: graph) { changes.append($0) }
        graph.commit { transaction in
            transaction[table, 7] = "lost"
            transaction.removeAll(of: table)
            transaction[table, 2] = "b"
            transaction[table, 3] = "c"
        }
        #expect(changes == ["1:->a 2:->b", "1:a>- 3:->c"])
        withExtendedLifetime(subscription) {}
    }

    @Test func `an inactive table keeps its rows and delivers nothing: Law T7`() {
        let graph = Graph()
        let table = Table<Int, String>()
        graph.commit { $0[table, 1] = "a" }
        #expect(graph.activeCount == 0)
        graph.commit { #expect($0[table, 1] == "a") }
    }
}
