import Hosting
import JSON
import StateStore
import Testing

@testable import Documents

/// Full-text indexes and the root collation in documents.
struct SearchTests {
    private static let document = #"""
        {"feature": "x", "home": "space",
         "state": {"books": {
           "table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {
             "title": {"type": "string"}, "notes": {"type": ["string", "null"], "default": null},
             "shelf": {"type": "integer", "default": 0}}, "required": ["title"]}},
           "indexes": {"found": {"search": ["row.title", "row.notes"]},
             "byTitle": {"sort": [{"by": "row.title", "collation": "root"}]}}}},
         "actions": {
           "put": {"input": {"type": "object", "properties": {"id": {"type": "string"}, "row": {"type": "object"}}, "required": ["id", "row"]},
             "do": [{"put": "books", "key": "input.id", "row": "input.row"}]},
           "remove": {"input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
             "do": [{"remove": "books", "key": "input.id"}]},
           "clear": {"do": [{"clear": "books"}]}},
         "views": {
           "found": {"parameters": {"q": {"type": "string"}, "shelf": {"type": "integer", "default": 0}}, "from": "books",
             "search": {"index": "found", "for": "input.q"}, "where": "row.shelf >= input.shelf",
             "sort": ["-row.shelf"], "select": "key"},
           "plain": {"parameters": {"q": {"type": "string"}}, "from": "books", "search": {"index": "found", "for": "input.q"}, "select": "key"},
           "count": {"parameters": {"q": {"type": "string"}}, "from": "books", "search": {"index": "found", "for": "input.q"}, "count": true},
           "titles": {"from": "books", "sort": [{"by": "row.title", "collation": "root"}], "select": "row.title"},
           "falling": {"from": "books", "sort": [{"by": "-row.title", "collation": "root"}, "key"], "select": "row.title"},
           "fromM": {"expression": "index.byTitle().from(text.order('m')).map(k, state.books[k].title)"}}}
        """#

    private func server(_ titles: [(String, String, String?)] = []) throws -> DocumentServer {
        let server = try DocumentServer(parse(Self.document))
        for (key, title, notes) in titles { try put(server, key, title, notes) }
        return server
    }

    private func put(
        _ server: DocumentServer, _ key: String, _ title: String, _ notes: String?, _ shelf: Int = 0
    ) throws {
        try server.act(
            "x/put",
            [
                "id": .string(key),
                "row": [
                    "title": .string(title), "notes": notes.map { .string($0) } ?? .null,
                    "shelf": .number(Decimal(shelf)),
                ],
            ])
    }

    private func find(_ server: DocumentServer, _ view: String, _ text: String) throws -> JSON {
        let encoded = text.utf8.map { byte -> String in
            let hex = String(byte, radix: 16, uppercase: true)
            let isPlain = byte &- 0x61 < 26 || byte &- 0x41 < 26
            return isPlain ? String(Unicode.Scalar(byte)) : "%" + (hex.utf8.count < 2 ? "0" : "") + hex
        }.joined()
        return try server.view("x.\(view)?q=\(encoded)")
    }

    // Law DOC25
    @Test func `words are found without case and accents, and the first text weighs most`() throws {
        let server = try server([
            ("a", "Birnen", "Äpfel über alles"), ("b", "Über Äpfel", "Birnen"), ("c", "Äpfel, Birnen", nil),
            ("d", "Quitten", "apfelmus birne"),
        ])
        #expect(try find(server, "plain", "apfel bir") == ["c", "a", "b"])
        #expect(try find(server, "plain", "BIRNE ÄPF") == ["d"])
        #expect(try find(server, "plain", "uber") == ["b", "a"])
        #expect(try find(server, "plain", "birnen birnen") == ["a", "c", "b"])
        #expect(try find(server, "plain", "none") == [] && find(server, "plain", "pfel") == [])
        // Without words the rows stand in the order of the view.
        #expect(try find(server, "plain", " ,") == ["a", "b", "c", "d"] && find(server, "count", "") == 4)
        #expect(try find(server, "count", "b") == 4 && find(server, "count", "bi q") == 0)
    }

    // Law DOC25
    @Test func `the root collation orders views and indexes`() throws {
        let server = try server([
            ("a", "Zebra", nil), ("b", "äpfel", nil), ("c", "Apfel", nil), ("d", "apfel", nil), ("e", "Öl", nil),
        ])
        #expect(try server.view("x.titles") == ["apfel", "Apfel", "äpfel", "Öl", "Zebra"])
        #expect(try server.view("x.falling") == ["Zebra", "Öl", "äpfel", "Apfel", "apfel"])
        #expect(try server.view("x.fromM") == ["Öl", "Zebra"])
    }

    // Law DOC25
    @Test(arguments: 0..<10 as Range<UInt64>)
    func `random commits leave a search as a walk finds it`(_ seed: UInt64) throws {
        var random = Generator(state: seed + 1)
        let server = try server()
        let vocabulary = ["ada", "adam", "bob", "bo", "eve"]
        var model: [String: (title: [String], notes: [String]?, shelf: Int)] = [:]
        func words() -> [String] {
            (0..<Int.random(in: 0...3, using: &random)).map { _ in vocabulary.randomElement(using: &random) ?? "" }
        }
        for step in 0..<80 {
            let key = "k\(Int.random(in: 0..<10, using: &random))"
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<7:
                let (title, shelf) = (words(), Int.random(in: 0...2, using: &random))
                let notes = Int.random(in: 0..<3, using: &random) == 0 ? nil : words()
                try put(server, key, title.joined(separator: "-"), notes?.joined(separator: " "), shelf)
                model[key] = (title, notes, shelf)
            case 7, 8:
                try server.act("x/remove", ["id": .string(key)])
                model[key] = nil
            default:
                guard step > 60 else { continue }
                try server.act("x/clear")
                model = [:]
            }
            let wanted = words()
            guard let last = wanted.last else { continue }
            let full = Set(wanted.dropLast())
            func count(_ field: [String]) -> Int {
                full.count { field.contains($0) }
                    + (!full.contains(last) && field.contains { $0.hasPrefix(last) } ? 1 : 0)
            }
            let expected = model.filter { _, row in
                let all = row.title + (row.notes ?? [])
                return full.allSatisfy(all.contains) && all.contains { $0.hasPrefix(last) }
            }.sorted { one, other in
                let left = [-count(one.value.title), -count(one.value.notes ?? []), -one.value.shelf]
                let right = [-count(other.value.title), -count(other.value.notes ?? []), -other.value.shelf]
                return left == right ? one.key < other.key : left.lexicographicallyPrecedes(right)
            }.map { JSON.string($0.key) }
            let found = try find(server, "found", wanted.joined(separator: " "))
            try #require(found == .array(expected), "seed \(seed), step \(step), \(wanted)")
        }
    }

    // Law DOC1
    @Test func `faults of full-text indexes and searches have their places`() throws {
        func faults(_ index: String, _ view: String) -> [String] {
            let document = #"""
                {"feature": "x", "home": "space", "state": {"books": {
                  "table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {"title": {"type": "string"}, "n": {"type": "integer"}}}},
                  "indexes": {"found": \#(index)}}},
                 "views": {"v": {"from": "books", \#(view)}}}
                """#
            guard let json = try? parse(document) else { return ["unreadable"] }
            switch FeatureCompiler().compile(["x": json], beside: [:])["x"] {
            case .success: return []
            case .failure(let faults): return faults.all.map { "\($0.pointer)" }
            case nil: return ["nothing"]
            }
        }
        let view = #""search": {"index": "found", "for": "'a'"}"#
        #expect(faults(#"{"search": ["row.title"]}"#, view) == [])
        #expect(faults(#"{"search": []}"#, view).contains("/state/books/indexes/found/search"))
        #expect(faults(#"{"search": ["row.n"]}"#, view).contains("/state/books/indexes/found/search/0"))
        #expect(faults(#"{"search": ["row.title"], "by": ["row.n"]}"#, view).contains("/state/books/indexes/found/by"))
        let sound = #"{"search": ["row.title"]}"#
        #expect(faults(sound, #""search": {"index": "none", "for": "'a'"}"#) == ["/views/v/search/index"])
        #expect(faults(sound, #""search": {"index": "found", "for": "1"}"#) == ["/views/v/search/for"])
        #expect(faults(sound, #""search": {"index": "found"}"#) == ["/views/v/search/for"])
        #expect(faults(sound, #""sort": [{"by": "row.title", "collation": "de"}]"#) == ["/views/v/sort/0/collation"])
        #expect(faults(sound, #""sort": {"collation": "root"}"#) == ["/views/v/sort/by"])
    }
}
