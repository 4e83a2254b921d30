import Reactive
import Testing

/// Random commits to tables and all that is derived from them, beside the same made anew from all rows.
struct RandomListTests {
    private struct Item: Equatable {
        var rank: Int
        var group: Int
    }

    private struct Line: Equatable {
        var rank: Int
        var price: Int
    }

    /// The tables as they should be.
    private struct Model: Equatable {
        var items: [Int: Item] = [:]
        var prices: [Int: Int] = [:]

        var lines: [(key: Int, row: Line)] {
            items.map { key, item in (key, Line(rank: item.rank, price: prices[key] ?? 0)) }
                .sorted { ($0.row.rank, -$0.row.price, $0.key) < ($1.row.rank, -$1.row.price, $1.key) }
        }
        var cheap: [Int] {
            prices.filter { $0.value < 50 }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map {
                $0.key * 100 + $0.value / 10
            }
        }
        var groups: [[Int]] {
            Dictionary(grouping: items.values, by: \.group).map { [$0.key, $0.value.count] }.sorted {
                (-$0[1], $0[0]) < (-$1[1], $1[0])
            }
        }
    }

    /// Everything that is watched, from one start of watching to its end.
    private final class Watch {
        let lines = ListReader<Int, Line>()
        let first = ListReader<Int, Line>()
        let page = ListReader<Int, Line>()
        let cheap = ListReader<Int, Int>()
        let groups = ListReader<Int, Int>()
        var totals: [(sum: Int, listed: Int)] = []
        var subscriptions: [Subscription] = []
    }

    @Test(arguments: 0..<40)
    func
        `all lists are as if made anew, and the edits lead from each version to the next: Laws B8, B9, B10, B11, B13, T1, T3`(
            seed: UInt64
        )
    {
        var dice = Dice(seed: seed)
        let keys = [4, 30, 200].randomElement(using: &dice)!
        let graph = Graph()
        let items = Table<Int, Item>()
        let prices = Table<Int, Int>()
        var joins = 0
        let joined = items.joined(with: prices) { _, item, price in
            joins += 1
            return Line(rank: item.rank, price: price ?? 0)
        }
        let lines = joined.sorted(by: .ascending(\.rank).then(.descending(\.price)))
        let first = lines.limit(5)
        let place = RowList<Int, Line>.Entry(key: keys / 2, row: Line(rank: 4, price: 50))
        let page = lines.window(after: place, limit: 3)
        let cheap = prices.filter { _, price in price < 50 }.sorted(by: \.self).map { key, price in
            key * 100 + price / 10
        }
        let groups = items.group(by: \.group).rowCount().sorted(by: >)
        let totals = combineLatest(
            lines.map { $0.reduce(0) { $0 + $1.row.price } },
            joined.fold(0, add: { $0 + $1.price }, remove: { $0 - $1.price }))
        var model = Model()
        var watches: [Watch] = []
        for _ in 0..<50 {
            if watches.isEmpty && Bool.random(using: &dice) || Int.random(in: 0..<10, using: &dice) == 0 {
                let watch = Watch()
                watch.subscriptions = [
                    watch.lines.watch(lines, in: graph), watch.first.watch(first, in: graph),
                    watch.page.watch(page, in: graph),
                    watch.cheap.watch(cheap, in: graph), watch.groups.watch(groups, in: graph),
                    totals.watch(in: graph) { [unowned watch] listed, sum in watch.totals.append((sum, listed)) },
                ]
                watches.append(watch)
            }
            if Int.random(in: 0..<15, using: &dice) == 0 { watches = [] }
            let before = model
            let delivered = watches.map { ($0.lines.delivered, $0.first.delivered, $0.page.delivered, $0.totals.count) }
            let writes = Int.random(in: 0..<20, using: &dice) == 0 ? 150 : Int.random(in: 1...4, using: &dice)
            joins = 0
            graph.commit { transaction in
                if Int.random(in: 0..<25, using: &dice) == 0 {
                    transaction.removeAll(of: items)
                    model.items = [:]
                }
                for _ in 0..<writes {
                    let key = Int.random(in: 0..<keys, using: &dice)
                    let isThere = Int.random(in: 0..<4, using: &dice) > 0
                    if Bool.random(using: &dice) {
                        let item = Item(
                            rank: Int.random(in: 0..<8, using: &dice), group: Int.random(in: 0..<4, using: &dice))
                        transaction[items, key] = isThere ? item : nil
                        model.items[key] = isThere ? item : nil
                    } else {
                        let price = Int.random(in: 0..<100, using: &dice)
                        transaction[prices, key] = isThere ? price : nil
                        model.prices[key] = isThere ? price : nil
                    }
                }
            }
            graph.checkInvariants()
            #expect(watches.isEmpty ? graph.activeCount == 0 : joins <= writes)
            check(watches, model, place)
            for (watch, known) in zip(watches, delivered) {
                #expect(watch.lines.delivered - known.0 == (before.lines.elementsEqual(model.lines, by: ==) ? 0 : 1))
                #expect(
                    watch.first.delivered - known.1 <= 1 && watch.page.delivered - known.2 <= 1
                        && watch.totals.count - known.3 <= 1)
                #expect(
                    before.lines.prefix(5).elementsEqual(model.lines.prefix(5), by: ==)
                        == (watch.first.delivered == known.1))
            }
        }
    }

    private func check(_ watches: [Watch], _ model: Model, _ place: RowList<Int, Line>.Entry) {
        let lines = model.lines
        let after = lines.drop { line in
            (line.row.rank, -line.row.price, line.key) <= (place.row.rank, -place.row.price, place.key)
        }
        for watch in watches {
            #expect(watch.lines.entries.map(\.key) == lines.map(\.key) && watch.lines.rows == lines.map(\.row))
            #expect(watch.first.rows == lines.prefix(5).map(\.row))
            #expect(watch.page.rows == after.prefix(3).map(\.row))
            #expect(watch.cheap.rows == model.cheap)
            #expect(watch.groups.entries.map { [$0.key, $0.row] } == model.groups)
            #expect(watch.totals.allSatisfy { $0.sum == $0.listed })
            #expect(watch.totals.last?.sum == lines.reduce(0) { $0 + $1.row.price })
        }
    }
}
