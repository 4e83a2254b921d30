import JSON
import Testing

@Suite struct DefinitionTests {
    private static let total = #"{"source": {"view": "cart.totalPrice"}}"#
    let server: Service

    init() throws {
        server = try Service.shared()
    }

    private func put(_ path: String, _ fields: [String: String] = [:]) throws -> Response {
        try server.ask("PUT", path, Self.total, fields)
    }

    @Test func `If-None-Match * puts a definition only if there is none`() throws {
        let path = "/v1/spaces/definition1/streams/total"
        #expect(try put(path, ["If-Match": "*"]).isProblem("changed", 412))
        #expect(try put(path, ["If-None-Match": "*"]).status == 200)
        #expect(try put(path, ["If-None-Match": "*"]).isProblem("changed", 412))
        let tag = try server.ask("GET", path).tag
        #expect(try put(path, ["If-None-Match": "\"x\", \"\(tag)\""]).isProblem("changed", 412))
        #expect(try put(path, ["If-None-Match": "\"x\"", "If-Match": "\"\(tag)\""]).status == 200)
        #expect(try put(path, ["If-None-Match": "\"x\"", "If-Match": "\"y\""]).isProblem("changed", 412))
        #expect(try put(path, ["If-None-Match": "x"]).isProblem("bad-request", 400))
        #expect(try server.ask("GET", "/v1/spaces/definition1").json["version"] == 1)
    }

    @Test func `a removed stream has no value, also for a subscriber`() throws {
        let path = "/v1/spaces/definition2/streams/total"
        #expect(try put(path).status == 200)
        let stream = try server.stream("\(path)/value")
        #expect(try stream.event()?.data == "0")
        #expect(try server.ask("DELETE", path).status == 200)
        let last = try stream.event()
        #expect(last?.name == "gone" && last?.data?.contains("no-such-view") == true)
        #expect(try server.ask("GET", "\(path)/value").isProblem("no-such-view", 404))
    }
}
