import StateStore
import Testing

extension JournalContract {
    static let folding = [
        JournalContract("of a variable the last value counts") { make in
            let journal = try make()
            _ = try journal.append([
                .making(1, [.whole("a.x", "1"), .whole("a.y", "1")]), .making(2, [.whole("a.x", "2")]),
            ])
            #expect(try truth(of: journal) == [Place("a.x"): "2", Place("a.y"): "1"])
        },
        JournalContract("of a table the last of each entry counts, and an entry that went is gone") { make in
            let journal = try make()
            _ = try journal.append([
                .making(1, [.entry("a.t", "1", "1"), .entry("a.t", "2", "1"), .entry("a.t", "", "1")]),
                .making(2, [.entry("a.t", "1", nil)]),
                .making(3, [.entry("a.t", "2", "3"), .entry("a.t", "3", nil)]),
            ])
            #expect(try truth(of: journal) == [Place("a.t", "2"): "3", Place("a.t", ""): "1"])
        },
        JournalContract("a table that was set as a whole has those entries and no other") { make in
            let journal = try make()
            _ = try journal.append([
                .making(1, [.entry("a.t", "1", "1")]), .making(2, [.whole("a.t", #"{"2":2,"3":3}"#)]),
            ])
            #expect(try rows(of: journal) == ["2": "2", "3": "3"])
            _ = try journal.append([.making(3, [.entry("a.t", "2", nil), .entry("a.t", "4", "4")])])
            #expect(try rows(of: journal) == ["3": "3", "4": "4"])
            _ = try journal.append([.making(4, [.whole("a.t", "{}")])])
            #expect(try rows(of: journal) == [:])
            _ = try journal.append([.making(5, [.entry("a.t", "5", "5")])])
            #expect(try rows(of: journal) == ["5": "5"])
        },
        JournalContract("keys are compared byte by byte") { make in
            let journal = try make()
            _ = try journal.append([
                .making(
                    1, [.entry("a.t", "\u{E9}", "1"), .entry("a.t", "\u{65}\u{301}", "2"), .entry("a.t", "\0", "3")])
            ])
            _ = try journal.append([.making(2, [.entry("a.t", "\u{E9}", nil)])])
            let facts = try #require(try journal.load(.main)).facts
            #expect(
                facts.compactMap { $0.entry }.map { Array($0.utf8) }.sorted { $0.count < $1.count } == [
                    [0], Array("\u{65}\u{301}".utf8),
                ])
        },
        JournalContract("an entry comes after the variable as a whole") { make in
            let journal = try make()
            _ = try journal.append([.making(1, [.whole("a.t", #"{"b":1}"#)]), .making(2, [.entry("a.t", "a", "2")])])
            let facts = try #require(try journal.load(.main)).facts
            let whole = try #require(facts.firstIndex { $0.entry == nil })
            #expect(facts.firstIndex { $0.entry != nil }.map { $0 > whole } ?? true)
        },
    ]

    /// A variable or an entry of one.
    private struct Place: Hashable {
        let variable: String
        let entry: String?

        init(_ variable: String, _ entry: String? = nil) {
            self.variable = variable
            self.entry = entry
        }
    }

    /// The state after applying the facts of a journal one by one.
    private static func truth(of journal: any Journal) throws -> [Place: String] {
        var truth: [Place: String] = [:]
        for fact in try #require(try journal.load(.main)).facts {
            if fact.entry == nil { truth = truth.filter { $0.key.variable != fact.variable } }
            truth[Place(fact.variable, fact.entry)] = fact.value.map { String(decoding: $0, as: UTF8.self) }
        }
        return truth
    }

    /// The rows of a table of numbers, from a fact of the whole table or of its entries.
    private static func rows(of journal: any Journal) throws -> [String: String] {
        var rows: [String: String] = [:]
        for fact in try #require(try journal.load(.main)).facts {
            let value = fact.value.map { String(decoding: $0, as: UTF8.self) }
            if let entry = fact.entry {
                rows[entry] = value
                continue
            }
            rows = [:]
            for member in (value ?? "").dropFirst().dropLast().split(separator: ",") {
                let parts = member.split(separator: ":")
                rows[String(parts[0].dropFirst().dropLast())] = String(parts[1])
            }
        }
        return rows
    }
}
