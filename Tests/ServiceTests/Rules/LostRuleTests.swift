import Hosting
import Documents
import JSON
import ServiceInProcess
import StateStore
import Testing

/// Values from behind a rule after the rule has gone: with its view, with its feature, or for another rule.
@Suite struct LostRuleTests {
    private static let space = "/v1/spaces/main"
    private static let rule = #", "allow": "token.sub == 'ada'""#

    /// A feature whose view has a name, an expression and a rule, or none.
    private static func safe(
        _ view: String = "word", _ expression: String = "state.word", _ rule: String = rule
    ) -> String {
        #"""
        {"feature": "safe", "home": "space", "state": {"word": {"value": {"type": "string"}, "initial": ""},
           "rows": {"table": {"key": {"type": "string"}, "row": {"type": "string"}}},
           "count": {"value": {"type": "integer"}, "initial": 0}},
         "actions": {"fill": {"input": {"type": "object", "properties": {"word": {"type": "string"}},
             "required": ["word"]}, "do": [{"set": "word", "to": "input.word"}, {"set": "count", "to": "state.count + 1"}]},
           "say": {"input": {"type": "object", "properties": {"word": {"type": "string"}},
             "required": ["word"]}, "do": [{"set": "word", "to": "input.word"}]},
           "drop": {"input": {"type": "object", "properties": {"key": {"type": "string"}},
             "required": ["key"]}, "do": [{"remove": "rows", "key": "input.key"}]},
           "empty": {"do": [{"clear": "rows"}]},
           "put": {"input": {"type": "object", "properties": {"key": {"type": "string"}},
             "required": ["key"]}, "do": [{"put": "rows", "key": "input.key", "row": "'x'"}]}},
         "views": {"\#(view)": {"expression": "\#(expression)"\#(rule)},
           "kept": {"source": {"view": "safe.\#(view)"}, "operators": [{"scan": {"initialValue": "",
             "expression": "accumulated + value + ';'"}}]}, "count": {"expression": "state.count"\#(rule)}}}
        """#
    }

    private static func service() throws -> ServiceInProcess {
        let service = try ServiceInProcess(
            tokenFile: ServiceInProcess.people, documents: FeatureCompiler(), features: [])
        #expect(try put(safe(), service) == 201)
        return service
    }

    private static func ask(
        _ service: ServiceInProcess, _ person: String, _ line: String, _ body: String = ""
    ) throws -> Reply { try service.ask(line, ServiceInProcess.person(person), body) }

    private static func put(_ document: String, _ service: ServiceInProcess) throws -> Int {
        let reply = try ask(service, "root", "PUT /v1/features/safe", document)
        #expect(reply.status < 300, "\(reply.body)")
        return reply.status
    }

    private static func fill(_ service: ServiceInProcess, _ word: String) throws {
        let reply = try ask(service, "root", "POST \(space)/safe/fill", #"{"word": "\#(word)"}"#)
        #expect(reply.status == 200, "\(reply.body)")
    }

    private static func version(_ service: ServiceInProcess, of space: String = space) throws -> JSON {
        try ask(service, "root", "GET \(space)").json["version"] ?? .null
    }

    /// The ways in which a rule goes.
    enum Loss: String, CaseIterable {
        case renamed, opened, otherRule, otherMeaning, dropped, droppedAndOpened
    }

    private static func lose(_ loss: Loss, _ service: ServiceInProcess) throws {
        switch loss {
        case .renamed: _ = try put(safe("other"), service)
        case .opened: _ = try put(safe("word", "state.word", ""), service)
        case .otherRule: _ = try put(safe("word", "state.word", #", "allow": "token.sub != 'eve'""#), service)
        case .otherMeaning:
            _ = try put(safe("word", "state.word", #", "allow": "token.sub in ['ada', 'bob']""#), service)
        case .dropped, .droppedAndOpened:
            #expect(try ask(service, "root", "DELETE /v1/features/safe?state=drop").status < 300)
            if loss == .droppedAndOpened { _ = try put(safe("word", "state.word", ""), service) }
        }
    }

    // Laws ID8 and PRIV7
    @Test(arguments: Loss.allCases)
    func `what came from behind a rule is not shown without it`(_ loss: Loss) throws {
        let service = try Self.service()
        let scan = #""operators": [{"scan": {"initialValue": "", "expression": "accumulated + value + ';'"}}]"#
        let fold =
            #"{"fold": {"over": {"changes": ["safe/fill"]}, "initialValue": "", "#
            + #""expression": "accumulated + change.input.word + ';'"}}"#
        for (id, source) in [("g", #"{"view": "safe.word"}"#), ("h", #"{"ref": "g"}"#), ("f", fold)] {
            let line = "PUT \(Self.space)/streams/\(id)"
            let reply = try Self.ask(service, "root", line, #"{"source": \#(source), \#(scan)}"#)
            #expect(reply.status == 200, "\(reply.body)")
        }
        try Self.fill(service, "SECRET")
        let version = try Self.version(service)
        try Self.fill(service, "CLEAN")
        let ways =
            ["g", "h", "f"].flatMap { id in
                [
                    "streams/\(id)/value", "views?view=streams.\(id)", "streams/\(id)/value?at=\(version)",
                    "streams/\(id)/history", "streams/\(id)/history?events=1",
                    "views/diff?from=\(version)&to=9&view=streams.\(id)",
                ]
            } + [
                "safe/kept", "safe/kept?at=\(version)", "safe/kept/history",
                "safe/kept?at=\(version)&definition=current",
            ]
        func check(_ note: String) throws {
            for way in ways {
                let reply = try Self.ask(service, "bob", "GET \(Self.space)/\(way)")
                #expect(!reply.body.contains("SECRET"), "\(note): \(way): \(reply.body)")
            }
        }
        #expect(try Self.ask(service, "ada", "GET \(Self.space)/streams/g/value").body.contains("SECRET"))
        #expect(try Self.ask(service, "root", "GET \(Self.space)/streams/f/value").body.contains("SECRET"))
        #expect(try Self.ask(service, "bob", "GET \(Self.space)/streams/g/value").status == 403)
        try check("guarded")
        try Self.lose(loss, service)
        try check("lost")
        let common = try Self.version(service, of: "/v1/spaces/common")
        for id in ["g", "h", "f"] {
            let reply = try Self.ask(service, "bob", "GET \(Self.space)/streams/\(id)/value?at=\(version).\(common)")
            #expect(!reply.body.contains("SECRET"), "\(reply.body)")
        }
        guard loss != .dropped, loss != .renamed else { return }
        try Self.fill(service, "NEXT")
        try check("begun anew")
        #expect(try Self.ask(service, "bob", "GET \(Self.space)/streams/g/value").body.contains("NEXT"))
        // And it goes on.
        try Self.fill(service, "LAST")
        let value = try Self.ask(service, "bob", "GET \(Self.space)/streams/g/value").body
        #expect(value.contains("NEXT;LAST"), "\(value)")
    }

    // Law ID8
    @Test func `a rule that comes and goes takes along what was remembered behind it`() throws {
        let service = try Self.service()
        _ = try Self.put(Self.safe("word", "state.word", ""), service)
        let scan = #""operators": [{"scan": {"initialValue": "", "expression": "accumulated + value + ';'"}}]"#
        let line = "PUT \(Self.space)/streams/g"
        #expect(try Self.ask(service, "bob", line, #"{"source": {"view": "safe.word"}, \#(scan)}"#).status == 200)
        try Self.fill(service, "OPEN")
        _ = try Self.put(Self.safe(), service)
        #expect(try Self.ask(service, "ada", "GET \(Self.space)/streams/g/value").body.contains("OPEN"))
        try Self.fill(service, "SECRET")
        #expect(try Self.ask(service, "ada", "GET \(Self.space)/streams/g/value").body.contains("OPEN;SECRET"))
        try Self.fill(service, "CLEAN")
        _ = try Self.put(Self.safe("word", "state.word", ""), service)
        let reply = try Self.ask(service, "bob", "GET \(Self.space)/streams/g/value")
        #expect(reply.status == 200 && !reply.body.contains("SECRET"), "\(reply.body)")
    }

    // Law ID11
    @Test(arguments: [true, false])
    func `a commit that was hidden when it was made stays so`(_ isDropped: Bool) throws {
        let service = try Self.service()
        try Self.fill(service, "SECRET")
        try Self.fill(service, "CLEAN")
        if isDropped { #expect(try Self.ask(service, "root", "DELETE /v1/features/safe?state=drop").status < 300) }
        _ = try Self.put(Self.safe("word", "state.word", ""), service)
        try Self.fill(service, "OPEN")
        for way in ["changes?since=0", "changes?events=1", "changes"] {
            let reply = try Self.ask(service, "bob", "GET \(Self.space)/\(way)")
            #expect(!reply.body.contains("SECRET") && reply.body.contains("OPEN"), "\(way): \(reply.body)")
            #expect(!reply.body.contains("/hidden"), "\(way): \(reply.body)")
        }
        #expect(try Self.ask(service, "root", "GET \(Self.space)/changes").body.contains("SECRET"))
        // A restore brings back a state from behind the rule.
        guard !isDropped else { return }
        #expect(try Self.ask(service, "root", "POST \(Self.space)/restore", #"{"version": 1}"#).status == 200)
        let changes = try Self.ask(service, "bob", "GET \(Self.space)/changes").body
        #expect(!changes.contains("SECRET") && changes.contains("space/restore"), "\(changes)")
    }

    // Laws ID8 and PRIV1
    @Test func `a later definition shows no state that was behind a rule`() throws {
        let service = try Self.service()
        try Self.fill(service, "SECRET")
        try Self.fill(service, "CLEAN")
        _ = try Self.put(Self.safe("word", "state.word", ""), service)
        _ = try Self.put(Self.safe("all", "string(state.word) + '!'", ""), service)
        let common = try Self.version(service, of: "/v1/spaces/common")
        for view in ["all", "count"] {
            for query in ["at=1", "at=1.\(common)", "at=1&definition=current", "at=1.\(common)&definition=current"] {
                let reply = try Self.ask(service, "bob", "GET \(Self.space)/safe/\(view)?\(query)")
                #expect(reply.status >= 400, "\(view)?\(query): \(reply.body)")
                let many = try Self.ask(service, "bob", "GET \(Self.space)/views?view=safe.\(view)&\(query)")
                #expect(!many.body.contains("SECRET"), "\(view)?\(query): \(many.body)")
            }
        }
        let history = try Self.ask(service, "bob", "GET \(Self.space)/safe/all/history?since=0.\(common)")
        #expect(!history.body.contains("SECRET"), "\(history.body)")
        // The moment that was shown with the open definition is open.
        let shown = try Self.ask(service, "bob", "GET \(Self.space)/safe/all?at=2.\(common)")
        #expect(shown.body == "\"CLEAN!\"", "\(shown.body)")
        #expect(try Self.ask(service, "bob", "GET \(Self.space)/safe/all?at=2&definition=current").status == 200)
        let own = try Self.ask(service, "ada", "GET \(Self.space)/safe/all?at=1&definition=current")
        #expect(own.body == "\"SECRET!\"", "\(own.body)")
    }

    // Law PRIV1
    @Test func `a later definition shows no member that was private then`() throws {
        let service = try ServiceInProcess(
            tokenFile: ServiceInProcess.people, documents: FeatureCompiler(), features: [])
        func document(_ isPrivate: Bool) -> String {
            #"""
            {"feature": "safe", "home": "space", "state": {"rows": {"table": {"key": {"type": "string"},
               "row": {"type": "object", "properties": {"open": {"type": "string"},
                 "pin": {"type": "string"\#(isPrivate ? #", "private": true"# : "")}}}}}},
             "actions": {"add": {"input": {"type": "object", "properties": {"pin": {"type": "string"}}, "required": ["pin"]},
               "do": [{"put": "rows", "key": "'a'", "row": "{'open': 'OPEN', 'pin': input.pin}"}]}},
             "views": {"all": {"from": "rows"}\#(isPrivate ? "" : #", "pins": {"from": "rows", "select": "row.pin"}"#)}}
            """#
        }
        _ = try Self.put(document(true), service)
        for pin in ["SECRET", "CLEAN"] {
            #expect(try Self.ask(service, "root", "POST \(Self.space)/safe/add", #"{"pin": "\#(pin)"}"#).status == 200)
        }
        _ = try Self.put(document(false), service)
        let common = try Self.version(service, of: "/v1/spaces/common")
        for view in ["all", "pins"] {
            for query in ["at=1", "at=1.\(common)", "at=1&definition=current"] {
                let reply = try Self.ask(service, "bob", "GET \(Self.space)/safe/\(view)?\(query)")
                #expect(!reply.body.contains("SECRET"), "\(view)?\(query): \(reply.body)")
                if view == "all" { #expect(reply.body.contains("OPEN"), "\(query): \(reply.body)") }
            }
        }
        #expect(try Self.ask(service, "bob", "GET \(Self.space)/safe/pins?at=2.\(common)").body.contains("CLEAN"))
    }

    // Law K3
    @Test func `a right guess of a value behind a rule and a wrong one get the same answers`() throws {
        let guesses = [
            ("fill", #"{"word": "alpha"}"#), ("say", #"{"word": "alpha"}"#), ("put", #"{"key": "alpha"}"#),
            ("drop", #"{"key": "alpha"}"#), ("empty", "{}"),
        ]
        func seen(_ secret: String) throws -> [String] {
            let service = try Self.service()
            try Self.fill(service, secret)
            if secret != "gamma" {
                let put = try Self.ask(service, "root", "POST \(Self.space)/safe/put", #"{"key": "\#(secret)"}"#)
                #expect(put.status == 200, "\(put.body)")
            } else {
                // The same version.
                try Self.fill(service, secret)
            }
            var seen: [String] = []
            for (action, body) in guesses + guesses {
                let reply = try Self.ask(service, "bob", "POST \(Self.space)/safe/\(action)", body)
                #expect(reply.status == 200, "\(reply.body)")
                seen.append("\(action) \(reply.body)")
            }
            return seen
        }
        let seen = [try seen("alpha"), try seen("beta"), try seen("gamma")]
        #expect(seen[0] == seen[1] && seen[1] == seen[2])
        #expect(seen[0].allSatisfy { $0.contains("safe.") }, "\(seen[0])")
    }
}
