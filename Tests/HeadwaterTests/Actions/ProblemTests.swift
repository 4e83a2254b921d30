import JSON
import Testing

@Suite struct ProblemTests {
    let server: Service

    init() throws {
        server = try Service.shared()
    }

    @Test func `malformed JSON is 400, and an invalid value is 422 with its pointer`() throws {
        func post(_ body: String) throws -> Response { try server.ask("POST", "/v1/spaces/problem1/cart/add", body) }
        for body in ["{", "nonsense", "{} {}", #"{"productId": 01}"#, #"{"productId": 1, "productId": 2}"#, "\u{0}"] {
            #expect(try post(body).isProblem("not-json", 400), "\(body)")
        }
        for (body, pointer) in [
            (#"{"productId": "x"}"#, "/productId"), (#"{"productId": 0}"#, "/productId"),
            (#"{"productId": 1, "quantity": 1000}"#, "/quantity"),
            (#"{"productId": 1.5}"#, "/productId"), (#"{"productId": 1, "more": 1}"#, "/more"),
        ] {
            let problem = try post(body)
            #expect(try problem.isProblem("invalid", 422) && problem.json["pointer"] == .string(pointer), "\(problem)")
        }
        for body in ["{}", "[]", "null", "1"] { #expect(try post(body).isProblem("invalid", 422), "\(body)") }
        #expect(try server.ask("POST", "/v1/spaces/problem1/cart/add").isProblem("invalid", 422))
        #expect(try server.ask("GET", "/v1/spaces/problem1").json["version"] == 0)
    }

    @Test func `JSON is nested at most 64 deep`() throws {
        func post(_ depth: Int) throws -> Response {
            let value = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
            return try server.ask("POST", "/v1/spaces/problem2/user/save", "{\"name\": \(value)}")
        }
        #expect(try post(64).status == 422)
        #expect(try post(65).isProblem("not-json", 400))
    }

    @Test func `a body needs the media type of JSON`() throws {
        let answer = try server.ask(
            "POST", "/v1/spaces/problem3/user/logIn", #"{"name": "Ada"}"#,
            ["Content-Type": "application/x-www-form-urlencoded"])
        #expect(try answer.isProblem("unsupported-media-type", 415) && answer.text.contains("curl --json"))
        for type in ["text/plain", "application/jsonp", "application"] {
            #expect(
                try server.ask("POST", "/v1/spaces/problem3/user/logOut", "{}", ["Content-Type": type]).status == 415)
        }
        for type in ["application/json", "Application/JSON; charset=utf-8", "application/json ; charset=utf-8"] {
            #expect(
                try server.ask("POST", "/v1/spaces/problem3/user/logOut", "{}", ["Content-Type": type]).status == 200)
        }
    }

    @Test(arguments: [
        ("GET", "/v2", "no-such-path"), ("GET", "/v1/space", "no-such-path"), ("GET", "/v1/spaces/a/b", "no-such-path"),
        ("GET", "/v1/spaces/a/b/c/d/e", "no-such-path"), ("GET", "/v1/spaces/-a", "no-such-space"),
        ("GET", "/v1/spaces/a%20b", "no-such-space"), ("POST", "/v2", "no-such-path"),
        ("OPTIONS", "/v2", "no-such-path"),
        ("POST", "/v1/spaces/a/user/fly", "no-such-action"), ("POST", "/v1/spaces/a/nobody/logIn", "no-such-action"),
        ("GET", "/v1/spaces/a/user/shoeSize", "no-such-view"), ("GET", "/v1/spaces/a/nobody/title", "no-such-view"),
        ("GET", "/v1/spaces/a/views?view=user.shoeSize", "no-such-view"),
        ("GET", "/v1/spaces/common/user/title", "no-such-view"),
    ])
    func `an unknown path is 404`(_ method: String, _ path: String, _ kind: String) throws {
        #expect(try server.ask(method, path, method == "POST" ? "{}" : nil).isProblem(kind, 404))
    }

    @Test(arguments: [
        ("GET", "/v1/spaces/a/user/logIn", "POST, OPTIONS"), ("POST", "/v1/spaces/a/user/title", "GET, HEAD, OPTIONS"),
        ("DELETE", "/v1/spaces", "GET, HEAD, OPTIONS"), ("POST", "/v1/spaces/a", "GET, HEAD, DELETE, OPTIONS"),
        ("PUT", "/v1/spaces/a/views", "GET, HEAD, OPTIONS"), ("POST", "/healthz", "GET, HEAD, OPTIONS"),
        ("TRACE", "/v1", "GET, HEAD, OPTIONS"), ("BREW", "/v1/spaces/a/changes", "GET, HEAD, OPTIONS"),
        ("get", "/v1", "GET, HEAD, OPTIONS"),
    ])
    func `an unsupported method is 405 with the supported ones`(
        _ method: String, _ path: String, _ allow: String
    ) throws {
        let answer = try server.ask(method, path)
        #expect(try answer.isProblem("method-not-allowed", 405))
        #expect(answer["Allow"] == allow)
    }

    @Test func `a resource without an accepted media type is 406`() throws {
        for path in ["user/title", "views", "changes"] {
            #expect(
                try server.ask("GET", "/v1/spaces/a/\(path)", nil, ["Accept": "text/html"]).isProblem(
                    "not-acceptable", 406))
            for accept in ["*/*", "application/*", "application/json", "text/html, */*;q=0.1"] {
                #expect(
                    try server.ask("GET", "/v1/spaces/a/\(path)", nil, ["Accept": accept])["Content-Type"]
                        == "application/json")
            }
        }
    }
}
