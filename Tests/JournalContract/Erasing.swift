import StateStore
import Testing

extension JournalContract {
    private static let epoch = Timestamp(microseconds: 0)

    /// A space whose row `a` of the table `book.rows` has been set as a whole, by entry, removed and set again.
    private static let history: [CommitRecord] = [
        .making(1, [.whole("book.rows", #"{"a":{"x":"GONE"},"b":1}"#)], key: Idempotency(key: "k", fingerprint: 1)),
        .making(2, [.entry("book.rows", "a", #"{"x":"GONE too"}"#), .entry("book.rows", "b", "2")]),
        .making(3, [.entry("book.rows", "a", nil), .whole("book.title", #"{"a":"stays"}"#)]),
        .making(4, [.entry("book.rows", "a", #""GONE again""#), .entry("other.rows", "a", #""stays""#)]),
        .making(5, [.entry("book.rows~2", "a", #""GONE of another feature""#)]),
    ]

    private static func erasing(_ version: Int, _ key: String = "a") -> CommitRecord {
        CommitRecord(
            space: .main, version: version, at: Timestamp(microseconds: Int64(version)), action: "space/erase",
            input: Array(#"{"table":"book.rows","key":"a"}"#.utf8), facts: [.entry("book.rows", key, nil)],
            idempotency: Idempotency(key: "erase", fingerprint: 2))
    }

    private static func hasRow(_ facts: some Sequence<Fact>) -> Bool {
        facts.contains { fact in String(decoding: fact.value ?? [], as: UTF8.self).contains("GONE") }
    }

    static let erasing = [
        // Law PRIV4
        JournalContract("an erased row is in no state and in no commit, and the others are as they were") { make in
            let journal = try make()
            _ = try journal.append(history)
            #expect(try journal.append([erasing(6)]) == [.kept])
            #expect(journal.erasureCount == 1)
            guard case .commits(let commits) = try journal.read(.main, after: 0, limit: 10) else {
                Issue.record("the commits are gone")
                return
            }
            #expect(commits.map(\.version) == [1, 2, 3, 4, 5, 6])
            for commit in commits { #expect(!hasRow(commit.facts), "\(commit.facts.map { $0 })") }
            #expect(commits[1].facts.map { $0 } == [.entry("book.rows", "a", nil), .entry("book.rows", "b", "2")])
            // The inputs of its commits are gone too, and the commits say so.
            #expect(commits.map { $0.withheld.contains("/input") } == [true, true, true, true, true, false])
            #expect(commits[0].input == Array("null".utf8) && commits[5] == erasing(6))
            for version in 0...6 {
                guard case .state(let state, _) = try journal.load(.main, at: version) else {
                    Issue.record("version \(version) is gone")
                    continue
                }
                #expect(!hasRow(state.facts), "\(version): \(state.facts)")
            }
            let facts = try journal.load(.main)?.facts ?? []
            #expect(facts.contains(.entry("book.rows", "b", "2")))
            #expect(facts.contains(.entry("other.rows", "a", #""stays""#)))
            #expect(facts.contains(.whole("book.title", #"{"a":"stays"}"#)))
            #expect(try journal.lastChange(of: "book.rows", entry: "a", in: .main, upTo: 4)?.version == 4)
            #expect(try journal.answer(.main, key: "erase", since: epoch)?.version == 6)
        },
        JournalContract("a row can be written again after it was erased") { make in
            let journal = try make()
            _ = try journal.append(history + [erasing(6)])
            _ = try journal.append([.making(7, [.entry("book.rows", "a", "7")]), .making(8)])
            #expect(try journal.load(.main)?.facts.contains(.entry("book.rows", "a", "7")) == true)
            _ = try journal.append([erasing(9, "b")])
            let facts = try journal.load(.main)?.facts ?? []
            #expect(facts.contains(.entry("book.rows", "a", "7")))
            #expect(!facts.contains { $0.entry == "b" && $0.value != nil })
        },
        JournalContract("an erased row takes the values along that its actions answered") { make in
            let journal = try make()
            let answering = CommitRecord(
                space: .main, version: 1, at: Timestamp(microseconds: 1), action: "book/add", input: nil,
                facts: Facts([.entry("book.rows", "a", "1")]), idempotency: Idempotency(key: "k", fingerprint: 1),
                result: Array(#""GONE""#.utf8))
            _ = try journal.append([answering, erasing(2)])
            #expect(
                try journal.answer(.main, key: "k", since: epoch)
                    == StoredAnswer(fingerprint: 1, version: 1, changed: ["book.rows"]))
        },
        JournalContract("an erasure of a space leaves the others alone") { make in
            let journal = try make()
            _ = try journal.append([.making(1, of: .other, [.entry("book.rows", "a", "1")])])
            _ = try journal.append(history + [erasing(6)])
            #expect(try journal.load(.other)?.facts == [.entry("book.rows", "a", "1")])
        },
        JournalContract("places that a commit withholds are kept with it") { make in
            let journal = try make()
            let record = CommitRecord(
                space: .main, version: 1, at: epoch, action: "a/b", input: nil, facts: Facts([.whole("a.c", "1")]),
                withheld: ["/input/é", "/changed/a.c/*/x"])
            _ = try journal.append([record])
            #expect(try journal.read(.main, after: 0, limit: 1) == .commits([record]))
        },
    ]
}
