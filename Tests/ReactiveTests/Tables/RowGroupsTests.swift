import Reactive
import Testing

/// Rows in groups.
struct RowGroupsTests {
    private struct Card: Equatable {
        var owner: String
        var votes: Int
    }

    @Test func `a group is there for as long as it has rows, and is what they amount to: Law B9`() {
        let graph = Graph()
        let cards = Table([1: Card(owner: "ada", votes: 2), 2: Card(owner: "bob", votes: 0)])
        let owners = cards.group(by: \.owner)
        var turns: [String] = []
        let both = owners.rowCount().joined(with: owners.sum(\.votes)) { _, count, votes in "\(count)/\(votes ?? -1)" }
        let subscription = both.watch(in: graph) { changes in
            turns.append(
                changes.entries.sorted { $0.key < $1.key }.map { "\($0.key) \($0.old ?? "-")>\($0.new ?? "-")" }.joined(
                    separator: ", "))
        }
        graph.commit { $0[cards, 3] = Card(owner: "ada", votes: 5) }
        graph.commit { $0[cards, 2] = Card(owner: "ada", votes: 1) }
        graph.commit { $0[cards, 1] = Card(owner: "ada", votes: 2) }
        graph.commit { transaction in
            transaction[cards, 1] = Card(owner: "cid", votes: 2)
            transaction[cards, 3] = Card(owner: "bob", votes: 5)
            transaction[cards, 2] = nil
        }
        #expect(
            turns == [
                "ada ->1/2, bob ->1/0", "ada 1/2>2/7", "ada 2/7>3/8, bob 1/0>-", "ada 3/8>-, bob ->1/5, cid ->1/2",
            ])
        withExtendedLifetime(subscription) {}
    }

    @Test func `the rows of one group come and go with its members: Laws B8, B9`() {
        let graph = Graph()
        let cards = Table([1: Card(owner: "ada", votes: 2), 2: Card(owner: "bob", votes: 0)])
        var turns: [String] = []
        let subscription = cards.group(by: \.owner).rows(of: "ada").watch(in: graph) { changes in
            turns.append(
                changes.entries.map { "\($0.key) \($0.old?.votes ?? -1)>\($0.new?.votes ?? -1)" }.joined(
                    separator: ", "))
        }
        graph.commit { $0[cards, 2] = Card(owner: "ada", votes: 1) }
        graph.commit { $0[cards, 3] = Card(owner: "cid", votes: 1) }
        graph.commit { $0[cards, 1] = Card(owner: "cid", votes: 3) }
        #expect(turns == ["1 -1>2", "2 -1>1", "1 2>-1"])
        withExtendedLifetime(subscription) {}
    }

    @Test(arguments: 0..<30)
    func `groups are as if made anew, at the cost of what changed: Laws B9, T1`(seed: UInt64) {
        var dice = Dice(seed: seed)
        let graph = Graph()
        let table = Table<Int, Int>()
        var steps = 0
        let sums = table.group(by: { $0 % 4 }).fold(
            0,
            add: {
                steps += 1
                return $0 + $1
            },
            remove: {
                steps += 1
                return $0 - $1
            })
        var model: [Int: Int] = [:]
        var known: [Int: Int] = [:]
        var turns = 0
        let subscription = sums.watch(in: graph) { changes in
            turns += 1
            for entry in changes.entries {
                #expect(known[entry.key] == entry.old && entry.old != entry.new)
                known[entry.key] = entry.new
            }
        }
        for _ in 0..<60 {
            let written = Int.random(in: 1...4, using: &dice)
            (steps, turns) = (0, 0)
            graph.commit { transaction in
                for _ in 0..<written {
                    let key = Int.random(in: 0..<12, using: &dice)
                    let row = Int.random(in: 0..<3, using: &dice) == 0 ? nil : Int.random(in: 1..<9, using: &dice)
                    transaction[table, key] = row
                    model[key] = row
                }
            }
            graph.checkInvariants()
            #expect(known == Dictionary(grouping: model.values) { $0 % 4 }.mapValues { $0.reduce(0, +) })
            #expect(steps <= written * 2 && turns <= 1)
        }
        withExtendedLifetime(subscription) {}
    }

    @Test func `a group that cannot be computed fails its groups alone: Law O5`() {
        let graph = Graph()
        let table = Table([1: 1])
        let groups = table.group { row in
            if row == 0 { throw Broken() }
            return row
        }
        var hasFailed = false
        var rows = 0
        let subscriptions = [
            groups.rowCount().watch(in: graph, receive: { _ in }, end: { _ in hasFailed = true }),
            table.rowCount().watch(in: graph) { rows = $0 },
        ]
        graph.commit { $0[table, 2] = 0 }
        #expect(hasFailed && rows == 2)
        graph.checkInvariants()
        withExtendedLifetime(subscriptions) {}
    }
}
