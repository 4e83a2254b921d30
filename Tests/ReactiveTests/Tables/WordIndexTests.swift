import Testing

@testable import Reactive

/// Full-text indexes of tables.
@Suite struct WordIndexTests {
    private static func words(_ text: String) -> Set<String> { Set(text.split(separator: " ").map(String.init)) }

    // Law DOC25
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `random transactions leave a full-text index and its views as a walk finds them`(_ seed: UInt64) {
        var random = Dice(seed: seed)
        let graph = Graph()
        let table = Table<Int, String>()
        let vocabulary = ["a", "ab", "abc", "b", "ba", "c"]
        func text() -> String {
            (0..<Int.random(in: 0...3, using: &random)).map { _ in vocabulary.randomElement(using: &random) ?? "" }
                .joined(separator: " ")
        }
        let index = WordIndex(of: table) { _, text in
            Dictionary(Self.words(text).map { ($0, UInt8(1)) }, uniquingKeysWith: { first, _ in first })
        }
        let wanted = [
            (
                WordIndex<Int, String>.Wanted(full: [], prefix: "a"),
                { (words: Set<String>) in words.contains { $0.hasPrefix("a") } }
            ),
            (.init(full: ["b"], prefix: "ab"), { $0.contains("b") && $0.contains { $0.hasPrefix("ab") } }),
            (.init(full: ["a", "c"], prefix: nil), { $0.contains("a") && $0.contains("c") }),
        ]
        var shown: [[Int: String]] = [[:], [:], [:]]
        var model: [Int: String] = [:]
        graph.commit { transaction in
            for key in 0..<5 {
                let row = text()
                transaction[table, key] = row
                model[key] = row
            }
        }
        let subscriptions = wanted.enumerated().map { place, one in
            index.rows(one.0) { _, text in one.1(Self.words(text)) }.watch(in: graph) { changes in
                for entry in changes.entries { shown[place][entry.key] = entry.new }
            }
        }
        for _ in 0..<100 {
            let isKept = Int.random(in: 0..<4, using: &random) > 0
            var next = model
            func write(_ transaction: inout Transaction) {
                if Int.random(in: 0..<20, using: &random) == 0 {
                    transaction.removeAll(of: table)
                    next = [:]
                }
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let key = Int.random(in: 0..<12, using: &random)
                    let row = Int.random(in: 0..<4, using: &random) == 0 ? nil : text()
                    transaction[table, key] = row
                    next[key] = row
                }
            }
            if isKept {
                graph.commit { transaction in write(&transaction) }
                model = next
            } else {
                var draft = graph.draft()
                write(&draft)
                graph.discard()
            }
            index.checkInvariants()
            for (place, one) in wanted.enumerated() {
                #expect(shown[place] == model.filter { one.1(Self.words($0.value)) }, "seed \(seed)")
            }
        }
        #expect((index.bytes > 0) == model.values.contains { !$0.isEmpty })
        for subscription in subscriptions { subscription.cancel() }
        index.detach()
        #expect(index.bytes == 0)
    }
}
