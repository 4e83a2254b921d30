import Hosting
import Documents
import JSON
import ServiceInProcess
import Testing

@testable import HeadwaterServer

/// Indexes of documents, over HTTP.
@Suite struct IndexRequestTests {
    private static func document(_ rules: String) -> String {
        #"""
        {"feature": "slots", "home": "space",
         "state": {"slots": {
           "table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {"room": {"type": "string"}}, "required": ["room"]}},
           "indexes": {"byRoom": {"by": ["row.room"], "unique": true}}}},
         "actions": {
           "take": {"input": {"type": "object", "properties": {"id": {"type": "string"}, "room": {"type": "string"}}, "required": ["id", "room"]},
             "require": [{"that": "size(index.byRoom(input.room)) < 5", "else": {"detail": "full"}}],
             "do": [{"put": "slots", "key": "input.id", "row": "{'room': input.room}"}]},
           "free": {"let": [{"name": "mine", "is": "state.slots.filter(k, state.slots[k].room == 'a')"}],
             "do": [{"each": "mine", "as": "k", "do": [{"remove": "slots", "key": "k"}]}]}},
         "views": {"all": {"from": "slots"}, "one": {"parameters": {"room": {"type": "string"}}, "from": "slots", "where": "row.room == input.room"}}\#(rules)}
        """#
    }

    private func service(_ rules: String = "") throws -> ServiceInProcess {
        let service = try ServiceInProcess(
            tokenFile: ServiceInProcess.people, documents: FeatureCompiler(), features: [])
        let reply = try service.ask(
            "PUT /v1/features/slots", ServiceInProcess.person("root"), Self.document(rules))
        #expect(reply.status == 201, "\(reply.body)")
        _ = try take(service, "root", "one", "a")
        return service
    }

    private func take(_ service: ServiceInProcess, _ person: String, _ id: String, _ room: String) throws -> Reply {
        try service.ask(
            "POST /v1/spaces/main/slots/take", ServiceInProcess.person(person),
            #"{"id": "\#(id)", "room": "\#(room)"}"#)
    }

    @Test func `a second row of a unique index is a problem that names it and both rows`() throws {
        let reply = try take(service(), "ada", "two", "a")
        #expect(reply.status == 409)
        let problem = try reply.json
        #expect(problem["type"] == "/problems/not-unique")
        #expect(problem["index"] == "byRoom" && problem["key"] == "two" && problem["other"] == "one")
    }

    /// Law ID6
    @Test func `with rules only an administrator learns the other row`() throws {
        let service = try service(#", "allow": {"read": "token.sub == 'root'"}"#)
        let reply = try take(service, "ada", "two", "a")
        #expect(reply.status == 409 && !reply.body.contains("one\""), "\(reply.body)")
        #expect(try reply.json["index"] == "byRoom")
        #expect(try take(service, "root", "two", "a").json["other"] == "one")
    }

    @Test func `the plan of a feature names its indexes, its walks and what would mend them`() throws {
        let service = try service()
        let path = "GET /v1/features/slots/plan"
        #expect(try service.ask(path, ServiceInProcess.person("ada")).status == 403)
        let reply = try service.ask(path, ServiceInProcess.person("root"))
        #expect(reply.status == 200)
        guard case .array(let plan)? = try reply.json["plan"] else { throw JSONError(.refused("no plan"), at: 0) }
        func read(_ pointer: String) -> JSON? { plan.first { $0["pointer"] == .string(pointer) } }
        #expect(read("/views/all")?["walk"] == "slots")
        #expect(read("/views/one")?["index"] == "byRoom")
        #expect(read("/actions/take/require/0/that")?["index"] == "byRoom")
        let walk = read("/actions/free/let/0/is")
        #expect(walk?["walk"] == "slots" && walk?["warning"] != nil)
        #expect(walk?["index"] == ["by": ["row.room"]])
        #expect(try service.ask("GET /v1/features/none/plan", ServiceInProcess.person("root")).status == 404)
    }
}
