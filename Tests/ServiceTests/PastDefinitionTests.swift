import JSON
import ServiceInProcess
import Testing

/// Law PAST7: `definition=current` computes a state of the past by the present definitions.
@Suite struct PastDefinitionTests {
    private static func document(_ expression: String, more: String = "") -> String {
        """
        {"feature": "c", "home": "space", "state": {"x": {"value": {"type": "integer"}, "initial": 1}},
         "actions": {"inc": {"do": [{"set": "x", "to": "state.x + 1"}]}},
         "views": {"x": {"expression": "\(expression)"}\(more)}}
        """
    }

    private func service() throws -> ServiceInProcess {
        let service = try ServiceInProcess()
        #expect(try service.ask("PUT /v1/features/c", [:], Self.document("state.x")).status == 201)
        for _ in 0..<3 { #expect(try service.ask("POST /v1/spaces/a/c/inc", [:], "").status == 200) }
        let new = Self.document("state.x * 10", more: #", "twice": {"expression": "state.x * 2"}"#)
        #expect(try service.ask("PUT /v1/features/c", [:], new).status == 200)
        return service
    }

    @Test func `a version is computed by the definition of then, or by the present one`() throws {
        let service = try service()
        #expect(try service.ask("GET /v1/spaces/a/c/x?at=2").body == "3")
        let reply = try service.ask("GET /v1/spaces/a/c/x?at=2&definition=current")
        #expect(reply.body == "30")
        #expect(reply["Content-Location"]?.hasSuffix("&definition=current") == true)
        let all = try service.ask("GET /v1/spaces/a/views?view=c.x&view=c.twice&at=2&definition=current")
        #expect(try all.json == ["c.x": 30, "c.twice": 6])
        #expect(try service.ask("GET /v1/spaces/a/c/twice?at=2").status == 404)
        #expect(try service.ask("GET /v1/spaces/a/c/twice?at=2&definition=current").body == "6")
    }

    @Test func `an answer by the present definition may change, so it is never immutable`() throws {
        let service = try service()
        let tag = try service.ask("GET /v1/spaces/a/c/x?at=2&definition=current")["ETag"] ?? ""
        let whole = tag.filter { $0 != "\"" }
        let reply = try service.ask("GET /v1/spaces/a/c/x?at=\(whole)&definition=current")
        #expect(reply.body == "30" && reply["Cache-Control"] == "no-cache")
        #expect(try service.ask("GET /v1/spaces/a/c/x?at=\(whole)").status == 410)
        #expect(try service.ask("PUT /v1/features/c", [:], Self.document("state.x * 100")).status == 200)
        #expect(try service.ask("GET /v1/spaces/a/c/x?at=\(whole)&definition=current").status == 410)
    }

    @Test(arguments: ["x?definition=old", "x?at=2&definition=old", "x?at=2&definition="])
    func `definition takes one value`(_ path: String) throws {
        let reply = try service().ask("GET /v1/spaces/a/c/\(path)")
        #expect(try reply.status == 422 && reply.json["type"] == "/problems/invalid", "\(reply.body)")
    }

    @Test func `without at, definition adds nothing`() throws {
        let service = try service()
        let reply = try service.ask("GET /v1/spaces/a/c/x?definition=current")
        #expect(try reply.status == 200 && reply.body == service.ask("GET /v1/spaces/a/c/x").body, "\(reply.body)")
    }

    @Test func `all views of a version are those that were there then`() throws {
        let service = try service()
        let past = try service.ask("GET /v1/spaces/a/views?at=2")
        #expect(try past.status == 200 && past.json["c.x"] == 3 && past.json["c.twice"] == nil, "\(past.body)")
        let present = try service.ask("GET /v1/spaces/a/views?at=2&definition=current")
        #expect(try present.json["c.x"] == 30 && present.json["c.twice"] == 6)
        #expect(try service.ask("GET /v1/spaces/a/views?at=2&view=c.twice").status == 404)
    }
}
