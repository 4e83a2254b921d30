import Reactive
import Testing

/// What a list is written in.
struct ListPiecesTests {
    @Test(arguments: 0..<6)
    func `pieces in order are the whole, and a change makes a few of them anew: Law B14`(seed: UInt64) {
        var dice = Dice(seed: seed)
        let graph = Graph()
        let table = Table(Dictionary(uniqueKeysWithValues: (0..<1_000).map { ($0, $0 * 2) }))
        var encoded = 0
        var made = 0
        let list = table.sorted(by: \.self).map { _, row in
            encoded += 1
            return Array("\(row),".utf8)
        }
        let pieces = ListPieces<Int, [UInt8], [UInt8]>(size: \.count) { entries in
            made += 1
            return Array(entries.map(\.row).joined())
        }
        var whole: [UInt8] = []
        var count = 0
        var held: [(list: RowList<Int, [UInt8]>, whole: [UInt8])] = []
        let holds = Bool.random(using: &dice)
        let subscription = list.watch(in: graph) { list in
            #expect(pieces.size(of: list) == list.reduce(0) { $0 + $1.row.count })
            let parts = pieces.pieces(of: list)
            count = parts.count
            whole = Array(parts.joined())
            if holds, held.count < 10 { held.append((list, whole)) }
        }
        #expect(encoded == 1_000 && count < 1_000 / 8)
        var model = Dictionary(uniqueKeysWithValues: (0..<1_000).map { ($0, $0 * 2) })
        for _ in 0..<60 {
            let key = Int.random(in: 0..<1_050, using: &dice)
            let row = Int.random(in: 0..<4, using: &dice) == 0 ? nil : Int.random(in: 0..<2_000, using: &dice)
            (encoded, made) = (0, 0)
            graph.commit { $0[table, key] = row }
            model[key] = row
            // Taken out of one leaf and put in another, each of which may split or join with a neighbour.
            #expect(encoded <= 1 && made <= 4)
            let expected = model.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map { "\($0.value)," }.joined()
            #expect(whole == Array(expected.utf8))
        }
        for (list, whole) in held { #expect(Array(pieces.pieces(of: list).joined()) == whole) }
        withExtendedLifetime(subscription) {}
    }

    @Test func `pieces of one kind are never taken for another's: Law B14`() {
        let graph = Graph()
        let table = Table([1: 10, 2: 20])
        let sums = ListPieces<Int, Int, Int>(size: { $0 }) { $0.reduce(0) { $0 + $1.row } }
        let counts = ListPieces<Int, Int, Int>(size: { $0 }) { $0.count }
        var told: [[Int]] = []
        let subscription = table.sorted().watch(in: graph) { list in
            told.append([sums.size(of: list), counts.size(of: list), sums.size(of: list)] + counts.pieces(of: list))
        }
        graph.commit { $0[table, 3] = 30 }
        graph.commit { $0.removeAll(of: table) }
        #expect(told == [[30, 2, 30, 2], [60, 3, 60, 3], [0, 0, 0]])
        withExtendedLifetime(subscription) {}
    }
}
