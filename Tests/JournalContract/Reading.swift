import StateStore
import Testing

extension JournalContract {
    static let reading = [
        JournalContract("of what was never used there is nothing") { make in
            let journal = try make()
            #expect(try journal.load(.main) == nil)
            #expect(try journal.read(.main, after: 0, limit: 10) == .commits([]))
            #expect(try journal.answer(.main, key: "k", since: Timestamp(microseconds: 0)) == nil)
        },
        JournalContract("commits are read as they were appended") { make in
            let journal = try make()
            let commits = [
                CommitRecord(
                    space: .main, version: 1, at: Timestamp(microseconds: 1_700_000_000_123_456), action: "cart/add",
                    input: Array(#"{"productId": "ä\u0000", "quantity":1.0}"#.utf8),
                    facts: [
                        .whole("z.last", #"{"b":1,"a":[1.50,-0,1e3]}"#), .entry("cart.orders", "b", #"{"n":1}"#),
                        .entry("cart.orders", "a", nil),
                        .whole("a.first", "null"),
                    ], idempotency: Idempotency(key: "é\"\\", fingerprint: .max)),
                CommitRecord(
                    space: .main, version: 2, at: Timestamp(microseconds: -1), action: "", input: nil,
                    facts: [.whole("a.first", "0")]),
                .making(3),
            ]
            _ = try journal.append(commits)
            #expect(try journal.read(.main, after: 0, limit: 10) == .commits(commits))
            #expect(try journal.read(.main, after: 1, limit: 1) == .commits([commits[1]]))
            #expect(try journal.read(.main, after: 3, limit: 10) == .commits([]))
            #expect(try journal.read(.main, after: 99, limit: 10) == .commits([]))
        },
        JournalContract("a key finds the answer that was given under it, in its own space and time") { make in
            let journal = try make()
            let facts: [Fact] = [
                .entry("cart.orders", "a", "1"), .entry("cart.orders", "b", "1"), .whole("cart.count", "2"),
            ]
            _ = try journal.append([.making(1, facts, key: Idempotency(key: "k", fingerprint: 1 << 63), at: 100)])
            let answer = StoredAnswer(fingerprint: 1 << 63, version: 1, changed: ["cart.orders", "cart.count"])
            #expect(try journal.answer(.main, key: "k", since: Timestamp(microseconds: 101)) == answer)
            #expect(try journal.answer(.main, key: "k", since: Timestamp(microseconds: 102)) == nil)
            #expect(try journal.answer(.main, key: "K", since: Timestamp(microseconds: 0)) == nil)
            #expect(try journal.answer(.other, key: "k", since: Timestamp(microseconds: 0)) == nil)
            _ = try journal.append([.making(2, key: Idempotency(key: "k", fingerprint: 2), at: 200)])
            let later = StoredAnswer(fingerprint: 2, version: 2, changed: ["counter.count"])
            #expect(try journal.answer(.main, key: "k", since: Timestamp(microseconds: 150)) == later)
        },
        JournalContract("spaces are listed in the order of their names' bytes") { make in
            let journal = try make()
            let names = ["b", "a-1", "B", "a.1", "a", "0", "a_1"].compactMap { SpaceName($0) }
            _ = try journal.append(names.map { .making(1, of: $0) })
            _ = try journal.append([.making(2, of: names[0])])
            let listed = try journal.spaces(after: nil, limit: 10)
            #expect(listed.map(\.name.description) == ["0", "B", "a", "a-1", "a.1", "a_1", "b"])
            #expect(listed.map(\.version) == [1, 1, 1, 1, 1, 1, 2])
            #expect(try journal.spaces(after: SpaceName("a-0"), limit: 2).map(\.name.description) == ["a-1", "a.1"])
            #expect(try journal.spaces(after: SpaceName("b"), limit: 2).isEmpty)
        },
        JournalContract("a space has a summary with its version, the time of its last commit and its size") { make in
            let journal = try make()
            #expect(try journal.summary(of: .main) == nil)
            _ = try journal.append([.making(1, at: 10), .making(1, of: .other, at: 10)])
            let first = try #require(try journal.summary(of: .main))
            #expect(first.version == 1 && first.at == Timestamp(microseconds: 11) && first.bytes > 0 && first.isWhole)
            let text = "\"" + String(repeating: "x", count: 500) + "\""
            _ = try journal.append([.making(2, [.whole("notes.text", text)], at: 20)])
            let second = try #require(try journal.summary(of: .main))
            #expect(second.version == 2 && second.at == Timestamp(microseconds: 22) && second.isWhole)
            #expect(second.bytes >= first.bytes + 500 && second.bytes < first.bytes + 1_000)
            #expect(try journal.summary(of: .other)?.bytes == first.bytes)
            // Entries, of which a summary counts the first ones.
            let entries = (0..<2_000).map { Fact.entry("notes.rows", "\"\($0)\"", "1") }
            _ = try journal.append([.making(3, entries), .making(4)])
            #expect(try journal.summary(of: .main)?.version == 4)
            _ = try journal.forget(.main)
            #expect(try journal.summary(of: .main) == nil)
        },
    ]
}
