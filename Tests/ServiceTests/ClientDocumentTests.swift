import Hosting
import Documents
import JSON
import ServiceInProcess
import Testing

@testable import HeadwaterServer

/// The document for clients, over HTTP.
@Suite struct ClientDocumentTests {
    private static func document(initial: String = "x", rule: String = "true", step: String = "input.text") -> String {
        #"""
        {"feature": "notes", "home": "space",
         "state": {"text": {"value": {"type": "string"}, "initial": "a"}, "code": {"value": {"type": "string", "private": true}, "initial": "\#(initial)"}},
         "actions": {"write": {"input": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}, "do": [{"set": "text", "to": "\#(step)"}]}},
         "views": {"text": {"expression": "state.text"}}, "allow": {"read": "\#(rule)"}, "replica": {"text": {}}}
        """#
    }

    private func put(_ service: ServiceInProcess, _ document: String) throws {
        let reply = try service.ask("PUT /v1/features/notes", ServiceInProcess.person("root"), document)
        #expect([200, 201].contains(reply.status), "\(reply.body)")
    }

    private func hash(_ service: ServiceInProcess) throws -> JSON? {
        guard case .array(let features)? = try service.ask("GET /v1", ServiceInProcess.person("ada")).json["features"]
        else { return nil }
        return features.first { $0["name"] == "notes" }?["hash"]
    }

    private func service() throws -> ServiceInProcess {
        let service = try ServiceInProcess(
            tokenFile: ServiceInProcess.people, documents: FeatureCompiler(), features: [])
        try put(service, Self.document())
        return service
    }

    /// Law REPLICA1
    @Test func `a caller that reads some space gets the document for clients with the hash of the feature`() throws {
        let service = try service()
        let reply = try service.ask("GET /v1/features/notes/client", ServiceInProcess.person("ada"))
        #expect(reply.status == 200, "\(reply.body)")
        #expect(try reply.json["hash"] == hash(service) && hash(service) != nil)
        #expect(try reply.json["state"] == ["text": ["value": ["type": "string"], "initial": "a"]])
        let tag = try #require(reply["ETag"])
        var fields = ServiceInProcess.person("ada")
        fields["If-None-Match"] = tag
        #expect(try service.ask("GET /v1/features/notes/client", fields).status == 304)
        #expect(try service.ask("GET /v1/features/notes/client").status == 401)
        #expect(try service.ask("GET /v1/features/nothing/client", ServiceInProcess.person("ada")).status == 404)
        #expect(try service.ask("GET /v1/features/notes/client?a=1", ServiceInProcess.person("ada")).status == 422)
    }

    /// Law REPLICA1
    @Test func `the hash changes with what clients perform, and not with rules or private values`() throws {
        let service = try service()
        let first = try hash(service)
        try put(service, Self.document(initial: "y", rule: "token.sub != 'eva'"))
        #expect(try hash(service) == first)
        try put(service, Self.document(initial: "y", step: "input.text + '!'"))
        #expect(try hash(service) != first)
    }
}
