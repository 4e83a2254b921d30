import JSON
import ServiceInProcess
import StateStore
import Testing

/// Values that a rule or a private member withholds, asked for by way of definitions, of the past, of rehearsals and of
/// deliveries.
@Suite struct ClosedRoadsTests {
    private static let space = "/v1/spaces/main"
    /// `token-ada` may read the vault. `token-bob` may act and define, but not read it. `token-eve` may read only.
    /// `token-root` administers everything, `token-zoe` the space `common` alone.
    private static let people =
        ServiceInProcess.people
        + "\n5aa4b5d6ad62a45b9c9ed96e3ab6a9e9e75a1c1d3d7c2b6b1f7d8e2dd0f6e1c4 admin common subject=zoe"

    private func vault() throws -> ServiceInProcess { try ServiceInProcess.withVault() }

    private func ask(_ service: ServiceInProcess, _ person: String, _ line: String, _ body: String = "") throws -> Reply
    {
        try service.ask(line, ServiceInProcess.person(person), body)
    }

    // Law ID8
    @Test(arguments: [
        #"{"source": {"view": "vault.secret"}}"#, #"{"source": {"ref": "s"}}"#, #"{"source": {"ref": "k"}}"#,
        #"{"source": {"merge": [{"view": "vault.hall"}, {"view": "vault.secret"}]}}"#,
        #"{"source": {"view": "vault.note", "parameters": {"name": "a"}}}"#,
        #"{"source": {"view": "vault.secret"}, "operators": [{"map": {"expression": "int(value)"}}]}"#,
        #"{"source": {"stream": [{"value": 1, "operators": [{"withLatestFrom": {"source": {"view": "vault.secret"}}}]}]}}"#,
    ])
    func `a trial reads what its caller may read`(_ definition: String) throws {
        let service = try vault()
        let line = "POST \(Self.space)/streams:test"
        for person in ["bob", "eve", "root"] {
            let reply = try ask(service, person, line, #"{"definition": \#(definition)}"#)
            #expect(reply.status == 403 && !reply.body.contains("SECRET"), "\(reply.body)")
        }
        let own = try ask(service, "ada", line, #"{"definition": \#(definition)}"#)
        #expect(own.status == 200, "\(own.body)")
    }

    // Law ID12
    @Test func `a stream over a guarded view that time changes is put by its readers only`() throws {
        let service = try vault()
        let debounce = #""operators": [{"debounce": {"seconds": 1}}]"#
        func put(_ person: String, _ id: String, _ source: String, _ more: String = #""operators": []"#) throws -> Int {
            try ask(service, person, "PUT \(Self.space)/streams/\(id)", #"{"source": \#(source), \#(more)}"#).status
        }
        let secret = #"{"view": "vault.secret"}"#
        #expect(try put("bob", "x", secret, debounce) == 403)
        #expect(try put("bob", "x", #"{"ref": "s"}"#, debounce) == 403)
        #expect(try put("bob", "x", #"{"combineLatest": [{"view": "vault.hall"}, \#(secret)]}"#, debounce) == 403)
        let written = #"{"id": "x", "source": \#(secret), \#(debounce)}"#
        #expect(try ask(service, "bob", "POST \(Self.space)/streams/put", written).status == 403)
        #expect(try put("bob", "x", secret) == 200)
        #expect(try put("bob", "y", #"{"view": "vault.hall"}"#, debounce) == 200)
        #expect(try put("root", "x", #"{"view": "vault.hall"}"#) == 200)
        #expect(try put("bob", "z", #"{"ref": "x"}"#, debounce) == 200)
        // The stream z would have the rule, too.
        #expect(try put("bob", "x", secret) == 403)
        #expect(try ask(service, "ada", "POST \(Self.space)/vault/admit", #"{"name": "bob"}"#).status == 200)
        #expect(try put("bob", "x", secret, debounce) == 200)
    }

    // Law ID8
    @Test func `the past of a stream keeps the rules of the definition that made it`() throws {
        let service = try vault()
        func put(_ view: String) throws {
            let document = #"{"source": {"view": "\#(view)"}, "operators": []}"#
            #expect(try ask(service, "root", "PUT \(Self.space)/streams/q", document).status == 200)
        }
        try put("vault.secret")
        let version = try ask(service, "root", "GET \(Self.space)").json["version"] ?? .null
        _ = try ask(service, "ada", "POST \(Self.space)/vault/fill", #"{"text": "SECRET 2"}"#)
        let guarded = [
            "GET \(Self.space)/streams/q/value?at=\(version)", "GET \(Self.space)/views?view=streams.q&at=\(version)",
            "GET \(Self.space)/streams/q/history", "GET \(Self.space)/streams/q/history?events=1",
            "GET \(Self.space)/views/diff?from=\(version)&to=9&view=streams.q",
        ]
        func check(_ note: Comment) throws {
            for line in guarded {
                let reply = try ask(service, "bob", line)
                #expect(!reply.body.contains("SECRET"), "\(note): \(line): \(reply.body)")
                let own = try ask(service, "ada", line)
                #expect(own.status == 200 && own.body.contains("SECRET"), "\(note): \(line): \(own.body)")
            }
        }
        try check("defined")
        try put("vault.hall")
        _ = try ask(service, "root", "POST \(Self.space)/vault/admit", #"{"name": "zoe"}"#)
        try check("redefined")
        let rows = try ask(service, "bob", "GET \(Self.space)/streams/q/history")
        #expect(rows.status == 200 && rows.body.contains(#""value":"#), "\(rows.body)")
        #expect(try ask(service, "root", "DELETE \(Self.space)/streams/q").status == 200)
        try check("deleted")
    }

    // Law ID8
    @Test func `a rehearsal needs the right of each space and the rules of its views`() throws {
        let service = try vault()
        func put(_ document: String) throws -> Reply {
            try ask(service, "root", "PUT /v1/features/safe", document)
        }
        func document(_ view: String, _ allow: String) -> String {
            #"""
            {"feature": "safe", "home": "space", "state": {"word": {"value": {"type": "string"}, "initial": ""}},
             "actions": {"fill": {"input": {"type": "object", "properties": {"word": {"type": "string"}},
               "required": ["word"]}, "do": [{"set": "word", "to": "input.word"}]}},
             "views": {"word": {"expression": "\#(view)", "allow": "\#(allow)"}, "count": {"expression": "1"}}}
            """#
        }
        #expect(try put(document("state.word", "token.sub == 'ada'")).status == 201)
        #expect(try ask(service, "root", "POST \(Self.space)/safe/fill", #"{"word": "SECRET"}"#).status == 200)
        let changed = document("state.word == '' ? '' : state.word + '!'", "true")
        let body = #"{"documents": {"safe": \#(changed)}, "spaces": ["main"], "commits": 9}"#
        let refused = try ask(service, "root", "POST /v1/features:replay", body)
        #expect(try refused.status == 200 && refused.json == ["differences": []], "\(refused.body)")
        #expect(try ask(service, "bob", "POST /v1/features:replay", body).status == 403)
        #expect(try put(document("state.word", "true")).status == 200)
        let open = try ask(service, "root", "POST /v1/features:replay", body)
        #expect(open.status == 200 && open.body.contains("SECRET!"), "\(open.body)")
    }

    // Law PRIV7
    @Test func `a fold over commits sees no private member of an input`() throws {
        let service = try ServiceInProcess.withClinic()
        func ask(_ line: String, _ body: String = "") throws -> Reply { try service.ask(line, [:], body) }
        let fold =
            #"{"fold": {"over": {"changes": ["%"]}, "initialValue": [], "expression": "accumulated + [change.input]"}}"#
        for (id, action) in [("f", "clinic/admit"), ("g", "ward/admit"), ("h", "clinic/lock")] {
            let source = fold.replacing("%", with: action)
            let put = try ask("PUT \(Self.space)/streams/\(id)", #"{"source": \#(source), "operators": []}"#)
            #expect(put.status == 200, "\(put.body)")
        }
        let patient = ServiceInProcess.patient.replacing(#""a""#, with: #""b""#)
        for action in ["clinic/admit", "ward/admit"] {
            #expect(try ask("POST \(Self.space)/\(action)", patient).status == 200)
        }
        #expect(try ask("POST \(Self.space)/clinic/lock", #"{"code": "SECRET"}"#).status == 200)
        for (id, expected) in [
            ("f", #"[{"id":"b","patient":{"name":"Ada","number":null}}]"#),
            ("g", #"[{"id":"b","patient":{"name":"Ada","number":null}}]"#), ("h", #"[{"code":null}]"#),
        ] {
            let value = try ask("GET \(Self.space)/streams/\(id)/value")
            #expect(value.body == expected)
            #expect(try !ask("GET \(Self.space)/streams/\(id)/history").body.contains("SECRET"))
        }
        // A replay of the history withholds the same.
        let replayed = #"{"begin": 0, "source": \#(fold.replacing("%", with: "clinic/admit")), "operators": []}"#
        #expect(try ask("PUT \(Self.space)/streams/z", replayed).status == 200)
        let value = try ask("GET \(Self.space)/streams/z/value")
        #expect(!value.body.contains("SECRET") && value.body.contains(#""id":"a""#), "\(value.body)")
        // So does the failure of an expression.
        let failing =
            #"{"source": {"fold": {"over": {"changes": ["clinic/lock"]}, "initialValue": 0, "#
            + #""expression": "accumulated + int(change.input.code)"}}, "operators": []}"#
        #expect(try ask("PUT \(Self.space)/streams/i", failing).status == 200)
        #expect(try ask("POST \(Self.space)/clinic/lock", #"{"code": "SECRET"}"#).status == 200)
        #expect(try !ask("GET \(Self.space)/streams/i/value").body.contains("SECRET"))
    }

    /// A document whose rows have a member that is private or open.
    private func box(_ isPrivate: Bool, _ more: String = "") -> String {
        #"""
        {"feature": "box", "home": "space", "state": {"rows": {"table": {"key": {"type": "string"},
          "row": {"type": "object", "properties": {"open": {"type": "integer"}, "pin": {"type": "string"
            \#(isPrivate ? #", "private": true"# : "")}}}}}},
         "actions": {"add": {"input": {"type": "object", "properties": {"key": {"type": "string"},
             "pin": {"type": "string"\#(isPrivate ? #", "private": true"# : "")}}, "required": ["key", "pin"]},
           "do": [{"put": "rows", "key": "input.key", "row": "{'open': 1, 'pin': input.pin}"}]}},
         "views": {"all": {"from": "rows"}, "count": {"from": "rows", "count": true},
           "kept": {"source": {"view": "box.all"}, "operators": [{"scan": {"initialValue": [],
             "expression": "accumulated + [value]"}}]}\#(more)}}
        """#
    }

    // Law PRIV7
    @Test func `a member that became private is withheld at all versions`() throws {
        let service = try ServiceInProcess.withClinic()
        func ask(_ line: String, _ body: String = "") throws -> Reply { try service.ask(line, [:], body) }
        let named = #", "pins": {"from": "rows", "select": "row.pin"}"#
        #expect(try ask("PUT /v1/features/box", box(false, named)).status == 201)
        for (id, source) in [
            ("kept", #"{"view": "box.all"}"#),
            (
                "folded",
                #"{"fold": {"over": {"changes": ["box/add"]}, "initialValue": [], "expression": "accumulated + [change.input]"}}"#
            ),
        ] {
            let operators =
                id == "kept" ? #"[{"scan": {"initialValue": [], "expression": "accumulated + [value]"}}]"# : "[]"
            let put = try ask(
                "PUT \(Self.space)/streams/\(id)x", #"{"source": \#(source), "operators": \#(operators)}"#)
            #expect(put.status == 200, "\(put.body)")
        }
        for key in ["a", "b"] {
            #expect(try ask("POST \(Self.space)/box/add", #"{"key": "\#(key)", "pin": "SECRET"}"#).status == 200)
        }
        let version = try ask("GET \(Self.space)").json["version"] ?? .null
        let ways = [
            "box/all?at=\(version)", "box/all/history", "views/diff?from=0&to=\(version)&view=box.all", "box/all",
            "box/kept", "box/kept?at=\(version)", "box/kept/history", "streams/keptx/value", "streams/foldedx/value",
            "streams/keptx/value?at=\(version)", "streams/foldedx/value?at=\(version)", "streams/keptx/history",
            "streams/foldedx/history", "box/pins?at=\(version)", "box/pins/history", "changes", "changes?events=1",
        ]
        for way in ways where !way.hasPrefix("views/diff") {
            #expect(try ask("GET \(Self.space)/\(way)").body.contains("SECRET"), "\(way)")
        }
        #expect(try ask("PUT /v1/features/box", box(true)).status == 200)
        for way in ways {
            let body = try ask("GET \(Self.space)/\(way)").body
            #expect(!body.contains("SECRET"), "\(way): \(body)")
        }
        #expect(try ask("POST \(Self.space)/box/add", #"{"key": "c", "pin": "SECRET"}"#).status == 200)
        for way in ways {
            let body = try ask("GET \(Self.space)/\(way)").body
            #expect(!body.contains("SECRET"), "\(way): \(body)")
        }
        // The pipelines go on from here.
        #expect(try ask("GET \(Self.space)/streams/foldedx/value").body == #"[{"key":"c","pin":null}]"#)
        let kept = try ask("GET \(Self.space)/box/kept").body
        #expect(kept.contains(#""pin":null"#) && kept.contains(#""key":"c""#), "\(kept)")
        // And stay as they are.
        #expect(try ask("POST \(Self.space)/box/add", #"{"key": "d", "pin": "SECRET"}"#).status == 200)
        let folded = try ask("GET \(Self.space)/streams/foldedx/value").body
        #expect(folded == #"[{"key":"c","pin":null},{"key":"d","pin":null}]"#)
    }

    // Law PRIV7
    @Test func `a member that is private in a later feature of the name is withheld in the commits of the former`()
        throws
    {
        let service = try ServiceInProcess.withClinic()
        func ask(_ line: String, _ body: String = "") throws -> Reply { try service.ask(line, [:], body) }
        #expect(try ask("PUT /v1/features/box", box(false)).status == 201)
        #expect(try ask("POST \(Self.space)/box/add", #"{"key": "a", "pin": "SECRET"}"#).status == 200)
        #expect(try ask("DELETE /v1/features/box?state=drop").status == 204)
        #expect(try ask("PUT /v1/features/box", box(true)).status == 201)
        let changes = try ask("GET \(Self.space)/changes").body
        #expect(changes.contains("box/add") && !changes.contains("SECRET"), "\(changes)")
    }

    // Law PRIV1
    @Test func `a restore withholds what was private in the version that it brings back`() throws {
        let service = try ServiceInProcess.withClinic()
        func ask(_ line: String, _ body: String = "") throws -> Reply { try service.ask(line, [:], body) }
        #expect(try ask("PUT /v1/features/box", box(true)).status == 201)
        #expect(try ask("POST \(Self.space)/box/add", #"{"key": "a", "pin": "SECRET"}"#).status == 200)
        let version = try ask("GET \(Self.space)").json["version"] ?? .null
        #expect(try ask("PUT /v1/features/box", box(false)).status == 200)
        #expect(try ask("POST \(Self.space)/box/add", #"{"key": "a", "pin": "OPEN"}"#).status == 200)
        #expect(try ask("POST \(Self.space)/restore", #"{"version": \#(version)}"#).status == 200)
        let changes = try ask("GET \(Self.space)/changes")
        #expect(changes.body.contains("OPEN") && !changes.body.contains("SECRET"), "\(changes.body)")
        guard case .array(let commits) = try changes.json else { throw ServiceInProcess.NoAnswer() }
        #expect(commits.last?["changed"]?["box.rows"]?["a"] == ["open": 1, "pin": .null], "\(changes.body)")
        guard case .array(let withheld)? = commits.last?["withheld"] else { throw ServiceInProcess.NoAnswer() }
        #expect(withheld.contains("/changed/box.rows/a/pin"), "\(changes.body)")
    }

    // Law ID8
    @Test func `state of a given feature takes the rule of its feature along`() throws {
        let service = try vault()
        let safe = #"""
            {"feature": "safe", "home": "space", "state": {"word": {"value": {"type": "string"}, "initial": "SECRET"},
               "rows": {"table": {"key": {"type": "string"}, "row": {"type": "string"}}, "initial": {"a": "SECRET"}}},
             "views": {"word": {"expression": "state.word"}}, "allow": {"read": "token.sub == 'ada'"}}
            """#
        let hole = #"""
            {"feature": "hole", "home": "space", "given": ["safe"], "state": {"x": {"value": {"type": "integer"}, "initial": 0}},
             "views": {"word": {"expression": "given.safe.word"}, "rows": {"from": "safe.rows"},
               "again": {"expression": "views.word"}, "piped": {"source": {"view": "hole.word"}, "operators": []},
               "open": {"expression": "state.x"}}}
            """#
        let both = try ask(service, "root", "PUT /v1/features", #"{"safe": \#(safe), "hole": \#(hole)}"#)
        #expect(both.status < 300, "\(both.body)")
        for view in ["word", "rows", "again", "piped"] {
            #expect(try ask(service, "bob", "GET \(Self.space)/hole/\(view)").status == 403, "\(view)")
            #expect(try ask(service, "ada", "GET \(Self.space)/hole/\(view)").body.contains("SECRET"), "\(view)")
        }
        #expect(try ask(service, "bob", "GET \(Self.space)/hole/open").body == "0")
        #expect(try !ask(service, "bob", "GET \(Self.space)/views").body.contains("SECRET"))
    }
}
