@testable import Hosting
import JSON
import StateStore
import Testing

@testable import Documents

/// Law DOC4: a rule of a document holds for its views and actions, and a rule that fails is false.
struct RuleTests {
    static let document = #"""
        {"feature": "vault", "home": "space",
         "state": {"owner": {"value": {"type": "string"}, "initial": "ada"},
           "things": {"table": {"key": {"type": "string"}, "row": {"type": "string"}}}},
         "actions": {
           "put": {"input": {"type": "object", "properties": {"id": {"type": "string"}, "by": {"type": "string"}},
             "required": ["id", "by"]}, "do": [{"put": "things", "key": "input.id", "row": "input.by"}]},
           "give": {"allow": "token.sub == state.owner", "input": {"type": "object", "properties": {
             "to": {"type": "string"}}, "required": ["to"]}, "do": [{"set": "owner", "to": "input.to"}]},
           "fail": {"allow": "token.role == 'x'", "do": []}},
         "views": {
           "owner": {"expression": "state.owner"},
           "secret": {"expression": "size(state.things)", "allow": "token.sub == state.owner"},
           "derived": {"expression": "views.secret + 1"},
           "mine": {"from": "things", "where": "row == token.sub", "select": "key"}},
         "allow": {"act": "token.sub != ''"},
         "tests": [{"name": "only the owner gives it away", "steps": [
           {"act": "give", "input": {"to": "bob"}, "token": {"sub": "bob"}, "refused": {"status": 403}},
           {"act": "give", "input": {"to": "bob"}, "token": {"sub": "ada"}},
           {"act": "give", "input": {"to": "ada"}}, {"expect": {"owner": "ada"}}]}]}
        """#

    @Test func `rules bind callers with their claims`() throws {
        let server = try DocumentServer(parse(Self.document))
        #expect(server.refusal("vault/put", ["id": "a", "by": "ada"])?.kind == .forbidden)
        try server.act("vault/put", ["id": "a", "by": "ada"], by: "bob")
        #expect(throws: Rejection.self) { try server.act("vault/give", ["to": "bob"], by: "bob") }
        try server.act("vault/give", ["to": "bob"], by: "ada")
        #expect(try server.view("vault.owner") == "bob")
        // A rule that fails is false: the token has no claim of this name.
        do {
            try server.act("vault/fail", by: "ada")
            Issue.record("the action was performed")
        } catch {
            #expect((error as? Rejection)?.kind == .forbidden)
        }
    }

    @Test func `tests of a document act with all rights, or with claims`() throws {
        let features = try compile(["vault": parse(Self.document)])
        let tests = FeatureCompiler().test(features, of: "vault", beside: try Registry([])) { true }
        #expect(tests.failed.map(\.detail) == [])
        #expect(tests.passed == 1)
    }

    @Test func `a view says which claims its rules and its value read`() throws {
        let feature = try #require(try compile(["vault": parse(Self.document)])["vault"])
        let views = Dictionary(feature.views.map { ($0.label, $0) }, uniquingKeysWith: { first, _ in first })
        #expect(views["owner"]?.rule == nil && views["owner"]?.claims == nil)
        #expect(views["secret"]?.rule == ClaimSet(names: ["sub"]))
        // A view that reads a view has its rules.
        #expect(views["derived"]?.rule == ClaimSet(names: ["sub"]))
        #expect(views["mine"]?.claims == ClaimSet(names: ["sub"]))
        #expect(feature.actions.filter { !$0.hasRule }.isEmpty)
    }

    @Test func `a refusal has the place of the rule`() throws {
        let server = try DocumentServer(parse(Self.document))
        let nameless = server.refusal("vault/put", ["id": "a", "by": "ada"])
        #expect(nameless?.rule == "vault#/allow/act" && nameless?.description.contains("allow/act") == false)
        #expect {
            try server.act("vault/give", ["to": "bob"], by: "bob")
        } throws: { error in
            (error as? Rejection)?.rule == "vault#/actions/give/allow"
        }
        let views = try #require(try compile(["vault": parse(Self.document)])["vault"]).views
        #expect(views.first { $0.label == "owner" }?.rules == [])
        #expect(views.first { $0.label == "derived" }?.rules == ["vault#/views/secret/allow"])
    }

    @Test(arguments: [
        ("\"expression\": \"state.owner\"", "\"expression\": \"size(token)\"", "/views/owner/expression"),
        ("views.secret + 1", "size(views.mine)", "/views/derived"),
        ("token.sub != ''", "token.sub", "/allow/act"),
        ("\"allow\": \"token.sub == state.owner\"},", "\"allow\": \"newId() > ''\"},", "/views/secret/allow"),
    ])
    func `a faulty rule or personal view is refused`(_ old: String, _ new: String, _ place: String) throws {
        let found = faults(try parse(Self.document.replacing(old, with: new)))
        #expect(!found.isEmpty && found.allSatisfy { $0.hasPrefix(place + ":") }, "\(found)")
    }

    @Test func `a rule that reads the time binds presence too`() throws {
        let server = try DocumentServer(
            parse(
                #"""
                {"feature": "room", "home": "space",
                 "state": {"here": {"table": {"key": {"type": "string"}, "row": {"type": "object"}},
                   "kept": false, "presence": true}},
                 "views": {"here": {"from": "here", "select": "key"}},
                 "allow": {"act": "input.key == 'ada' && now > timestamp('2000-01-01T00:00:00Z')"}}
                """#))
        let space = try #require(SpaceName("test"))
        func join(_ key: String) throws -> Result<PresenceStay, Refusal> {
            var result: Result<PresenceStay, Refusal>?
            let request = PresenceRequest(key, in: "room.here", with: [:], Caller(key), needsRule: false)
            server.server.stores[0].join(request, in: space) { result = $0 }
            #expect(server.server.advance(.zero) { true })
            return try #require(result)
        }
        let ada = try join("ada").get()
        guard case .failure(.rejected(let rejection)) = try join("bob") else {
            Issue.record("the rule did not bind presence")
            return
        }
        #expect(rejection.kind == .forbidden)
        #expect(try server.view("room.here") == ["ada"])
        ada.end()
    }

    @Test func `a faulty rule for all actions is one fault, also without actions`() throws {
        let rule = #""allow": {"act": "tokn.sub != ''"}"#
        let words = ["/allow/act: unknown name 'tokn'; did you mean token?"]
        let bare = #"{"feature": "a", "home": "space", "state": {"x": {"value": {}, "initial": 1}}, \#(rule)}"#
        #expect(faults(try parse(bare)).map { $0.prefix(words[0].count) } == words.map { $0[...] })
        let vault = Self.document.replacing(#""allow": {"act": "token.sub != ''"}"#, with: rule)
        #expect(faults(try parse(vault)).map { $0.prefix(words[0].count) } == words.map { $0[...] })
    }
}
