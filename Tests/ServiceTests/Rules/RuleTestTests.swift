import Documents
import Hosting
import JSON
import ServiceInProcess
import Testing

@testable import HeadwaterServer

/// Tests of rules with other claims, which administrators send.
@Suite struct RuleTestTests {
    private static let diary = #"""
        {
          "feature": "diary", "home": "space",
          "state": {"pages": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {
            "by": {"type": "string"}, "text": {"type": "string"}, "note": {"type": "string", "private": true, "default": ""}}}}}},
          "actions": {
            "write": {
              "input": {"type": "object", "properties": {"id": {"type": "string"}, "text": {"type": "string"}}, "required": ["id", "text"]},
              "allow": "token.sub != ''",
              "require": [{"that": "!(input.id in state.pages)", "else": {"detail": "there is a page {input.id}"}}],
              "do": [{"put": "pages", "key": "input.id", "row": "{'by': token.sub, 'text': input.text, 'note': 'SECRET'}"}],
              "answer": "input.id"
            }
          },
          "views": {
            "mine": {"from": "pages", "where": "row.by == token.sub", "select": "row.text"},
            "count": {"expression": "size(state.pages)", "allow": "token.role == 'editor'"},
            "pages": {"from": "pages"},
            "page": {"parameters": {"id": {"type": "string"}}, "expression": "state.pages[input.id].text"}
          }
        }
        """#

    private func service(_ arguments: String...) throws -> ServiceInProcess {
        let service = try ServiceInProcess(
            tokenFile: Tracker.tokens, arguments: arguments, documents: FeatureCompiler(), features: [])
        #expect(try service.ask("PUT /v1/features/diary", Tracker.root, Self.diary).status == 201)
        #expect(
            try service.ask("POST /v1/spaces/main/diary/write", Tracker.ada, #"{"id": "a", "text": "x"}"#).status == 200
        )
        return service
    }

    private func test(_ service: ServiceInProcess, _ body: String) throws -> JSON {
        let reply = try service.ask("POST /v1/spaces/main/rules:test", Tracker.root, body)
        #expect(reply.status == 200, "\(reply)")
        #expect(!reply.body.contains("SECRET"), "\(reply)")
        return try reply.json
    }

    // Law EDIT4
    @Test func `a view answers as the claims permit, and its rule is named`() throws {
        let service = try service()
        let refused = try test(service, #"{"token": {"sub": "bob", "role": "guest"}, "view": "diary.count"}"#)
        #expect(refused["status"] == 403 && refused["problem"]?["type"] == "/problems/forbidden", "\(refused)")
        #expect(refused["reason"]?["pointer"] == "/views/count/allow", "\(refused)")
        #expect(refused["reason"]?["text"] == "token.role == 'editor'", "\(refused)")
        let allowed = try test(service, #"{"token": {"sub": "bob", "role": "editor"}, "view": "diary.count"}"#)
        #expect(allowed["status"] == 200 && allowed["value"] == 1 && allowed["personal"] == false, "\(allowed)")
        #expect(allowed["rules"]?[0]?["pointer"] == "/views/count/allow", "\(allowed)")
        let ada = try test(service, #"{"token": {"sub": "ada"}, "view": "diary.mine"}"#)
        #expect(ada["value"] == ["x"] && ada["personal"] == true, "\(ada)")
        #expect(try test(service, #"{"token": {"sub": "bob"}, "view": "diary.mine"}"#)["value"] == [])
        #expect(try test(service, #"{"token": null, "view": "diary.mine"}"#)["value"] == [])
        #expect(try test(service, #"{"view": "diary.page?id=a"}"#)["value"] == "x")
        #expect(try test(service, #"{"view": "diary.pages"}"#)["value"]?[0]?["row"]?["note"] == .null)
    }

    // Law EDIT4
    @Test func `an action answers as the claims permit, and nothing is kept`() throws {
        let service = try service()
        let nobody = try test(service, #"{"action": "diary/write", "input": {"id": "b", "text": "y"}}"#)
        #expect(nobody["status"] == 403 && nobody["reason"]?["pointer"] == "/actions/write/allow", "\(nobody)")
        #expect(nobody["reason"]?["kind"] == "rule", "\(nobody)")
        let again = try test(
            service, #"{"token": {"sub": "bob"}, "action": "diary/write", "input": {"id": "a", "text": "y"}}"#)
        #expect(again["status"] == 409 && again["reason"]?["kind"] == "guard", "\(again)")
        #expect(again["reason"]?["pointer"] == "/actions/write/require/0/that", "\(again)")
        let done = try test(
            service, #"{"token": {"sub": "bob"}, "action": "diary/write", "input": {"id": "b", "text": "y"}}"#)
        #expect(done["status"] == 200 && done["value"]?["version"] == 2 && done["value"]?["result"] == "b", "\(done)")
        guard case .array(let rules)? = done["rules"] else { throw ServiceInProcess.NoAnswer() }
        #expect(rules.map { $0["kind"] } == ["rule", "guard"], "\(done)")
        let reader = try test(
            service,
            #"{"token": {"sub": "bob"}, "right": "read", "action": "diary/write", "input": {"id": "b", "text": "y"}}"#)
        #expect(reader["status"] == 403 && reader["reason"] == nil, "\(reader)")
        #expect(try service.ask("GET /v1/spaces/main", Tracker.root).json["version"] == 1)
    }

    // Law EDIT4
    @Test func `only who administers all spaces tests rules`() throws {
        let service = try service()
        let body = #"{"token": {"sub": "bob", "role": "editor"}, "view": "diary.count"}"#
        #expect(try service.ask("POST /v1/spaces/main/rules:test", Tracker.ada, body).status == 403)
        #expect(try service.ask("POST /v1/spaces/main/rules:test", [:], body).status == 401)
        #expect(try service.ask("GET /v1/spaces/main/rules:test", Tracker.root).status == 405)
    }

    @Test(arguments: [
        ("[]", ""), ("{}", ""), (#"{"view": "diary.count", "action": "diary/write"}"#, ""), (#"{"view": 1}"#, ""),
        (#"{"action": "diary/none"}"#, "/action"), (#"{"action": "streams/put", "input": {}}"#, "/action"),
        (#"{"view": "diary.count", "right": "own"}"#, "/right"), (#"{"view": "diary.count", "token": 1}"#, "/token"),
        (#"{"view": "diary.count", "token": {"sub": 1}}"#, "/token/sub"), (#"{"view": "diary.count", "x": 1}"#, "/x"),
        (#"{"view": "diary.count", "input": {}}"#, "/input"), (#"{"view": "diary.page?id=a&id=b"}"#, "/view"),
    ])
    func `a body that is no test is refused at its place`(_ body: String, _ pointer: String) throws {
        let reply = try service().ask("POST /v1/spaces/main/rules:test", Tracker.root, body)
        #expect(try reply.status == 422 && reply.json["pointer"] == .string(pointer), "\(body): \(reply)")
    }

    @Test func `a view that does not exist is 404 in the answer`() throws {
        let answer = try test(service(), #"{"view": "diary.none"}"#)
        #expect(answer["status"] == 404 && answer["rules"] == [], "\(answer)")
    }
}
