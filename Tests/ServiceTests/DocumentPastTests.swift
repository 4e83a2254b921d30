import JSON
import ServiceInProcess
import StateStore
import Testing

/// Laws PAST1, PAST2 and PAST4 for documents: pipelines, parameters, private members, and what derives from them.
@Suite struct DocumentPastTests {
    private static let document = #"""
        {"feature": "p", "home": "space",
         "types": {"Row": {"type": "object", "properties": {"n": {"type": "integer"}, "by": {"type": "string"},
           "pin": {"type": "string", "private": true, "default": "none"}}, "required": ["n"]}},
         "state": {"rows": {"table": {"key": {"type": "string"}, "row": {"$ref": "#/types/Row"}}},
           "v": {"value": {"type": "integer"}, "initial": 0}},
         "actions": {
           "put": {"input": {"type": "object", "properties": {"k": {"type": "string"}, "n": {"type": "integer"},
               "pin": {"type": "string", "private": true}}, "required": ["k", "n", "pin"]},
             "do": [{"put": "rows", "key": "input.k", "row": "{'n': input.n, 'by': token.sub, 'pin': input.pin}"},
               {"set": "v", "to": "state.v + input.n"}]},
           "remove": {"input": {"type": "object", "properties": {"k": {"type": "string"}}, "required": ["k"]},
             "do": [{"remove": "rows", "key": "input.k"}]}},
         "views": {"v": {"expression": "state.v"}, "rows": {"from": "rows"},
           "pins": {"from": "rows", "select": "row.pin"}, "whole": {"from": "rows", "private": true},
           "mine": {"from": "rows", "where": "row.by == token.sub", "select": "key"},
           "top": {"from": "rows", "sort": ["-row.n"], "limit": 2, "select": "{'k': key, 'n': row.n}"},
           "one": {"parameters": {"k": {"type": "string"}, "d": {"type": "integer", "default": 7}},
             "expression": "input.k in state.rows ? state.rows[input.k].n : input.d"},
           "above": {"parameters": {"n": {"type": "integer"}}, "from": "rows", "where": "row.n > input.n", "select": "key"},
           "count": {"source": {"view": "p.v"},
             "operators": [{"scan": {"initialValue": 0, "expression": "accumulated + 1"}}]},
           "calm": {"source": {"view": "p.v"}, "operators": [{"debounce": {"seconds": 5}}]},
           "put": {"source": {"fold": {"over": {"changes": ["p/put"]}, "initialValue": 0,
             "expression": "accumulated + change.input.n"}}},
           "both": {"source": {"combineLatest": [{"view": "p.v"}, {"view": "p.one", "parameters": {"k": "a"}}]},
             "operators": []},
           "next": {"source": {"view": "p.count"}, "operators": [{"map": {"expression": "value + 100"}}]},
           "kept": {"source": {"view": "p.pins"},
             "operators": [{"scan": {"initialValue": [], "expression": "value"}}]}}}
        """#

    private static let views = [
        "v", "rows", "pins", "whole", "mine", "top", "one?k=a", "one?k=b&d=3", "above?n=3", "count", "calm", "put",
        "both", "next", "kept",
    ]
    private static let query = views.map { name in
        "view=p." + name.replacing("&", with: "%26").replacing("?", with: "%3F").replacing("=", with: "%3D")
    }.joined(separator: "&")

    private let service: ServiceInProcess
    /// The last values shown at each version.
    private var shown: [Int: JSON] = [:]
    private var tags: [Int: String] = [:]

    init() throws {
        service = try ServiceInProcess()
        #expect(try service.ask("PUT /v1/features/p", [:], Self.document).status == 201)
        try act("put", #"{"k": "first", "n": 1, "pin": "secret0"}"#)
        var random = Entropy(seed: 20)
        for step in 1...30 {
            let key = random.one(of: ["a", "b", "c", "d"])
            if random.isOne(in: 4) {
                try act("remove", #"{"k": "\#(key)"}"#)
            } else {
                try act("put", #"{"k": "\#(key)", "n": \#(random.below(9)), "pin": "secret\#(step)"}"#)
            }
            if random.isOne(in: 3) {
                service.advance(seconds: 6)
                try look()
            }
        }
    }

    private mutating func act(_ action: String, _ body: String) throws {
        #expect(try service.ask("POST /v1/spaces/a/p/\(action)", [:], body).status == 200)
        try look()
    }

    private mutating func look() throws {
        let reply = try service.ask("GET /v1/spaces/a/views?\(Self.query)")
        let tag = (reply["ETag"] ?? "").filter { $0 != "\"" }
        let version = try #require(Int(tag.prefix { $0 != "." }))
        (shown[version], tags[version]) = (try reply.json, tag)
    }

    @Test func `each version is what was shown, by number and by tag`() throws {
        for (version, values) in shown {
            let reply = try service.ask("GET /v1/spaces/a/views?\(Self.query)&at=\(version)")
            #expect(try reply.json == values, "\(version)")
            let whole = try service.ask("GET /v1/spaces/a/views?\(Self.query)&at=\(tags[version] ?? "")")
            #expect(whole.body == reply.body && whole["Cache-Control"]?.contains("immutable") == true)
        }
    }

    @Test func `a history has the values that were shown, each once`() throws {
        for name in Self.views {
            let parts = name.split(separator: "?")
            let path = "\(parts[0])/history?limit=1000" + (parts.count > 1 ? "&\(parts[1])" : "")
            let reply = try service.ask("GET /v1/spaces/a/p/\(path)")
            guard case .array(let rows) = try reply.json else { return }
            // Law PRIV2: these show a private member, the last one through another view.
            guard !["pins", "whole", "kept"].contains(name) else {
                #expect(!rows.isEmpty && rows.allSatisfy { $0["value"] == .null && $0["withheld"] == ["/value"] })
                continue
            }
            #expect(rows.allSatisfy { $0["withheld"] == nil }, "\(name)")
            for (row, next) in zip(rows, rows.dropFirst()) { #expect(row["value"] != next["value"], "\(name)") }
            for row in rows {
                guard case .number(let number)? = row["version"], let version = number.int64 else { continue }
                guard let values = shown[Int(version)] else { continue }
                #expect(row["value"] == values["p.\(name)"], "\(name) at \(version)")
            }
            #expect(try rows.last?["value"] == service.ask("GET /v1/spaces/a/p/\(name)").json, "\(name)")
        }
    }

    @Test func `the patches of a difference lead from one version to the other`() throws {
        let versions = shown.keys.sorted()
        var random = Entropy(seed: 21)
        for _ in 0..<20 {
            let (from, to) = (random.one(of: versions), random.one(of: versions))
            let reply = try service.ask("GET /v1/spaces/a/views/diff?from=\(from)&to=\(to)&\(Self.query)")
            for name in Self.views {
                let (old, new) = (shown[from]?["p.\(name)"], shown[to]?["p.\(name)"])
                guard let patch = try reply.json["p.\(name)"] else {
                    #expect(old == new, "\(name) from \(from) to \(to)")
                    continue
                }
                let found = try JSONPatch(parsing: patch.json()).applied(to: old ?? .null)
                #expect(found == new, "\(name) from \(from) to \(to)")
            }
        }
    }

    @Test func `a return to a version shows what it showed`() throws {
        let version = try #require(shown.keys.sorted().dropFirst(7).first)
        #expect(try service.ask("POST /v1/spaces/a/restore", [:], #"{"version": \#(version)}"#).status == 200)
        let reply = try service.ask("GET /v1/spaces/a/views?\(Self.query)")
        // The time that `calm` waited for then has passed.
        for name in Self.views where name != "calm" {
            #expect(try reply.json["p.\(name)"] == shown[version]?["p.\(name)"], "\(name)")
        }
    }

    @Test func `private members are in no version but where a view names them`() throws {
        for version in shown.keys {
            for name in ["rows", "mine", "top", "count"] {
                let reply = try service.ask("GET /v1/spaces/a/p/\(name)?at=\(version)")
                #expect(reply.status == 200 && !reply.body.contains("secret"), "\(name)")
            }
        }
        for path in ["changes?since=0", "p/rows/history", "p/whole/why", "p/kept/why"] {
            #expect(try !service.ask("GET /v1/spaces/a/\(path)").body.contains("secret"), "\(path)")
        }
        #expect(try service.ask("GET /v1/spaces/a/p/pins?at=1").body == #"["secret0"]"#)
    }
}
