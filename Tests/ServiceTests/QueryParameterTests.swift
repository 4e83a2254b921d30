import JSON
import ServiceInProcess
import Testing

/// Parameters that a path does not know.
@Suite struct QueryParameterTests {
    // Law W5
    @Test(arguments: [
        ("GET /v1", "x", "access_token"),
        ("GET /v1/spaces", "offset", "limit"),
        ("GET /v1/spaces/a", "since", "access_token"),
        ("GET /v1/spaces/a/views", "views", "view"),
        ("GET /v1/spaces/a/user/title", "view", "since"),
        ("GET /v1/spaces/a/user/title", "", "wait"),
        ("GET /v1/spaces/a/changes", "view", "since"),
        ("GET /v1/spaces/a/graph", "depth", "access_token"),
        ("GET /v1/spaces/a/user/title/why", "view", "access_token"),
        ("GET /v1/spaces/a/streams", "limit", "events"),
        ("GET /v1/spaces/a/streams/x/values", "wait", "shared"),
    ])
    func `an unknown parameter is refused with those that the path knows`(
        _ line: String, _ name: String, _ known: String
    ) throws {
        let reply = try ServiceInProcess().ask("\(line)?\(name)=1")
        #expect(reply.status == 422, "\(reply)")
        let json = try reply.json
        guard case .array(let allowed)? = json["allowed"] else { return #expect(Bool(false), "\(json)") }
        #expect(json["type"] == "/problems/invalid" && allowed.contains(.string(known)))
        #expect(!allowed.contains(.string(name)))
    }

    // Law W5
    @Test func `an action with an unknown parameter is not performed`() throws {
        let service = try ServiceInProcess()
        for query in ["dryRun=1", "since=1", "view=cart.orders&x", "access_token=a"] {
            let reply = try service.ask("POST /v1/spaces/a/cart/add?\(query)", [:], #"{"productId": 1}"#)
            #expect(try reply.status == 422 && reply.json["allowed"] == ["rehearse", "view"], "\(query)")
        }
        #expect(try service.ask("GET /v1/spaces/a").json["version"] == 0)
    }

    // Law W5
    @Test func `a parameter that comes twice is refused, unless it is a view`() throws {
        let service = try ServiceInProcess()
        #expect(try service.ask("GET /v1/spaces/a/user/title?wait=1&wait=1").status == 422)
        #expect(try service.ask("GET /v1/spaces/a/user/title?wait=0&%77ait=1").status == 422)
        #expect(try service.ask("GET /v1/spaces/a/views?view=user.title&view=user.title").status == 200)
    }

    // Law W5
    @Test func `names that begin with an underscore are free, also twice`() throws {
        let service = try ServiceInProcess()
        for path in ["/v1", "/v1/spaces", "/v1/spaces/a", "/v1/spaces/a/user/title", "/v1/spaces/a/changes"] {
            #expect(try service.ask("GET \(path)?_=17&_=18&_cache&%5Fx=2").status == 200, "\(path)")
        }
        let reply = try service.ask("POST /v1/spaces/a/cart/add?_t=1", [:], #"{"productId": 1}"#)
        #expect(reply.status == 200)
    }

    // Law W5
    @Test func `pages, files, health and metrics ignore parameters`() throws {
        let service = try ServiceInProcess()
        for path in ["/", "/openapi.yaml", "/healthz", "/readyz", "/metrics"] {
            #expect(try service.ask("GET \(path)?x=1&x=2").status == 200, "\(path)")
        }
        #expect(try service.ask("OPTIONS /v1/spaces/a/user/title?x=1").status == 204)
    }

    @Test func `a stranger does not learn what a path knows`() throws {
        let token = String(repeating: "0", count: 64) + " read a\n"
        let service = try ServiceInProcess(tokenFile: token)
        #expect(try service.ask("GET /v1/spaces/a/user/title?x=1").status == 401)
    }

    @Test func `the parameter atLeast adds nothing on one node`() throws {
        let reply = try ServiceInProcess().ask("GET /v1/spaces/a/user/title?atLeast=5-x")
        #expect(reply.status == 200)
    }
}
