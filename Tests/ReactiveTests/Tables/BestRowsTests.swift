import Testing

@testable import Reactive

/// The best rows of full-text indexes.
@Suite struct BestRowsTests {
    private typealias Index = WordIndex<Int, String>

    /// The words of two texts, which a bar separates.
    private static func words(_ row: String) -> Index.Words {
        var words: Index.Words = [:]
        for (place, text) in row.split(separator: "|", omittingEmptySubsequences: false).enumerated() {
            for word in text.split(separator: " ") { words[String(word), default: 0] |= 1 << UInt8(place) }
        }
        return words
    }

    /// The number of wanted words in each text; nil for a row that has not all of them.
    private static func ranks(_ wanted: Index.Wanted, _ row: String) -> [Int]? {
        let words = words(row)
        var all = wanted.full.map { words[$0] ?? 0 }
        if let prefix = wanted.prefix { all.append(words.reduce(0) { $1.key.hasPrefix(prefix) ? $0 | $1.value : $0 }) }
        guard all.allSatisfy({ $0 != 0 }) else { return nil }
        return [0, 1].map { place in all.count { $0 >> UInt8(place) & 1 == 1 } }
    }

    // Law DOC25
    @Test(arguments: 0..<6 as Range<UInt64>)
    func `the best rows are the first ones that a walk and a sort find, after each transaction`(_ seed: UInt64) {
        var random = Dice(seed: seed)
        let graph = Graph()
        let table = Table<Int, String>()
        let vocabulary = ["a", "ab", "abc", "b"]
        func row() -> String {
            func text() -> String {
                (0..<Int.random(in: 0...2, using: &random)).map { _ in vocabulary.randomElement(using: &random) ?? "" }
                    .joined(separator: " ")
            }
            return text() + "|" + text()
        }
        // More rows than are put in order, so that the others are found along the order.
        let count = seed % 2 == 0 ? 40 : 2_500
        var model: [Int: String] = [:]
        graph.commit { transaction in
            for key in 0..<count {
                let row = row()
                transaction[table, key] = row
                model[key] = row
            }
        }
        let index = WordIndex(of: table) { _, row in Self.words(row) }
        let order = TableIndex<Int, String>(of: table) { key, _ in IndexPlace([UInt8(key % 7)], groupLength: 0) }
        let groups = TableIndex<Int, String>(of: table) { key, _ in IndexPlace([UInt8(key % 3)], groupLength: 1) }
        let wanted: [Index.Wanted] = [
            .init(full: [], prefix: "a"), .init(full: ["b"], prefix: "ab"), .init(full: ["a", "b"], prefix: nil),
        ]
        let isOdd: (Int, String) -> Bool = { key, _ in key % 2 == 1 }
        var shown: [[Int: String]] = Array(repeating: [:], count: wanted.count * 2)
        let subscriptions = shown.indices.map { place in
            let one = wanted[place / 2]
            let isGrouped = place % 2 == 1
            return index.best(
                one,
                .init(limit: 5, order: order, groups: isGrouped ? (groups, [[1], [2]]) : nil) { key, row in
                    isOdd(key, row) && (!isGrouped || key % 3 != 0)
                }
            ) { _, row in Self.ranks(one, row) != nil }.watch(in: graph) { changes in
                for entry in changes.entries { shown[place][entry.key] = entry.new }
            }
        }
        func check() {
            for place in shown.indices {
                let found = model.compactMap { key, row -> (ranks: [Int], key: Int)? in
                    guard isOdd(key, row), place % 2 == 0 || key % 3 != 0 else { return nil }
                    return Self.ranks(wanted[place / 2], row).map { ($0, key) }
                }
                let best = found.sorted { one, other in
                    if one.ranks != other.ranks { return other.ranks.lexicographicallyPrecedes(one.ranks) }
                    return (one.key % 7, one.key) < (other.key % 7, other.key)
                }.prefix(5)
                #expect(Set(shown[place].keys) == Set(best.map(\.key)), "seed \(seed), search \(place)")
                #expect(shown[place].allSatisfy { model[$0.key] == $0.value }, "seed \(seed), search \(place)")
            }
        }
        check()
        for _ in 0..<20 {
            graph.commit { transaction in
                for _ in 0..<3 {
                    let key = Int.random(in: 0..<count + 5, using: &random)
                    let row = Int.random(in: 0..<4, using: &random) == 0 ? nil : row()
                    transaction[table, key] = row
                    model[key] = row
                }
            }
            check()
        }
        index.checkInvariants()
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `ranks count each text for itself`() {
        #expect(SearchRank.spread(1) > SearchRank.spread(0b1111_1110))
        var rank: UInt64 = 0
        for _ in 0..<300 { rank = SearchRank.sum(rank, SearchRank.spread(2)) }
        #expect(rank == 0xFF << 48)
        #expect(SearchRank.sum(SearchRank.spread(1), SearchRank.spread(3)) == 2 << 56 | 1 << 48)
    }
}
