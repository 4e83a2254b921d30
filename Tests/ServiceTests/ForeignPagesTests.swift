import ServiceInProcess
import Testing

/// Requests that a browser marks as coming from a page of another origin.
@Suite struct ForeignPagesTests {
    private static let view = "GET /v1/spaces/main/user/title"

    @Test(arguments: ["cross-site", "same-site", "same-origin, none", ""])
    func `a page of another origin is refused, also where it names no origin`(_ site: String) throws {
        let service = try ServiceInProcess()
        for line in [Self.view, "GET /healthz", "POST /v1/spaces/main/user/logOut", "GET /v1/nothing", "GET /metrics"] {
            let reply = try service.ask(
                line, ["Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"])
            #expect(reply.status == 403 && reply.body.contains("/problems/foreign-origin"), "\(line): \(reply)")
        }
    }

    @Test func `the server's own page and a person are served`() throws {
        let service = try ServiceInProcess()
        for site in ["same-origin", "none"] {
            #expect(try service.ask(Self.view, ["Sec-Fetch-Site": site]).status == 200)
        }
    }

    @Test func `a link from another site works for the console's page only`() throws {
        let service = try ServiceInProcess()
        let fields = ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"]
        #expect(try service.ask("GET /", fields).status == 200)
        #expect(try service.ask(Self.view, fields).status == 403)
        #expect(try service.ask("GET /", fields.merging(["Sec-Fetch-Dest": "iframe"]) { $1 }).status == 403)
        #expect(try service.ask("GET /", fields.merging(["Sec-Fetch-Mode": "no-cors"]) { $1 }).status == 403)
    }

    @Test func `a permitted origin is served by name, and any origin if all are permitted`() throws {
        let fields = ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Origin": "https://example.org"]
        let service = try ServiceInProcess(origins: ["https://example.org"])
        #expect(try service.ask(Self.view, fields).status == 200)
        #expect(
            try service.ask(Self.view, ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"]).status == 403)
        let open = try ServiceInProcess(origins: ["*"])
        #expect(try open.ask(Self.view, ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"]).status == 200)
    }

    @Test func `every answer forbids its use in pages of other origins`() throws {
        let service = try ServiceInProcess()
        let tag = try service.ask(Self.view)["ETag"] ?? ""
        let replies = [
            try service.ask(Self.view), try service.ask(Self.view, ["If-None-Match": tag]),
            try service.ask("GET /v1/nothing"),
            try service.ask("GET /"), try service.ask("GET /metrics"),
            try service.ask(Self.view, ["Accept": "text/event-stream"]),
            try service.ask("OPTIONS /v1"), try service.ask("GET /v1", ["Host": "a b"]), try service.ask("HEAD /v1"),
        ]
        #expect(replies.map(\.status) == [200, 304, 404, 200, 200, 200, 204, 400, 200])
        for reply in replies {
            #expect(
                reply["Cross-Origin-Resource-Policy"] == "same-origin" && reply["X-Content-Type-Options"] == "nosniff",
                "\(reply)")
        }
    }
}
