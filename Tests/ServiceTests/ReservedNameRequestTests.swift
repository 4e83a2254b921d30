import Hosting
import Documents
import JSON
import ServiceInProcess
import Testing

/// The names that no document can have, as requests meet them.
@Suite struct ReservedNameRequestTests {
    @Test(arguments: ["schedules", "space", "streams", "views", "administration"])
    func `a reserved name is refused with the names that the server has`(_ name: String) throws {
        let service = try ServiceInProcess(documents: FeatureCompiler())
        let document =
            #"{"feature": "\#(name)", "home": "space", "state": {}, "actions": {"refused": {"do": []}}, "views": {}}"#
        let replies = try [
            service.ask("PUT /v1/features/\(name)", [:], document),
            service.ask("PUT /v1/features", [:], "{\"\(name)\": \(document)}"),
            service.ask("POST /v1/features:test", [:], document),
        ]
        for reply in replies {
            #expect(reply.status == 409 || reply.status == 422, "\(reply.body)")
            #expect(name == "streams" || reply.body.contains("actions, administration, changes"), "\(reply.body)")
        }
        #expect([404, 405].contains(try service.ask("POST /v1/spaces/main/\(name)/refused", [:], "{}").status))
        #expect(try service.ask("GET /v1/spaces/main").json["version"] == 0)
    }
}
