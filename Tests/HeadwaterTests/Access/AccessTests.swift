import Glibc
import JSON
import Testing

@Suite struct AccessTests {
    private func digest(_ text: String) throws -> String {
        let scratch = try Scratch()
        let path = try scratch.file("text", "")
        guard let pipe = popen("printf %s '\(text)' | sha256sum > \(path)", "r") else { throw Trouble("no shell") }
        pclose(pipe)
        guard let file = fopen(path, "r") else { throw Trouble("no digest") }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 64)
        fread(&buffer, 1, 64, file)
        return String(decoding: buffer, as: UTF8.self)
    }

    private func bearer(_ token: String) -> [String: String] { ["Authorization": "Bearer \(token)"] }

    @Test func `a request needs a token with the right and the space that its line lists`() throws {
        let scratch = try Scratch()
        let lines = try [
            "# who may", "\(digest("reader")) read alice-*", "\(digest("actor")) act alice-*,shared",
            "\(digest("root")) admin", "",
        ]
        let file = try scratch.file("tokens", lines.joined(separator: "\n"))
        let server = try Service(
            "--memory", "--tokens", file, "--threads", "2", environment: ["HEADWATER_TOKEN": "all"])
        let title = "/v1/spaces/alice-1/user/title"
        for fields in [[:], bearer("no"), ["Authorization": "Basic cmVhZGVy"], bearer("")] {
            let answer = try server.ask("GET", title, nil, fields)
            #expect(
                try answer.isProblem("unauthorized", 401) && answer["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
        }
        #expect(try server.ask("GET", title, nil, bearer("reader")).status == 200)
        #expect(try server.ask("GET", "\(title)?access_token=reader").status == 200)
        #expect(try server.ask("GET", "\(title)?access_token=reader", nil, bearer("no")).status == 401)
        #expect(try server.ask("GET", "/v1/spaces/bob/user/title", nil, bearer("reader")).isProblem("forbidden", 403))
        let logIn = #"{"name": "Ada"}"#
        #expect(
            try server.ask("POST", "/v1/spaces/alice-1/user/logIn", logIn, bearer("reader")).isProblem("forbidden", 403)
        )
        #expect(try server.ask("POST", "/v1/spaces/alice-1/user/logIn?access_token=actor", logIn).status == 401)
        #expect(try server.ask("POST", "/v1/spaces/alice-1/user/logIn", logIn, bearer("actor")).status == 200)
        #expect(try server.ask("POST", "/v1/spaces/shared/user/logIn", logIn, bearer("actor")).status == 200)
        #expect(try server.ask("POST", "/v1/spaces/shared2/user/logIn", logIn, bearer("actor")).status == 403)
        let put = #"{"id": 1, "name": "Kite", "price": 1}"#
        #expect(try server.ask("POST", "/v1/spaces/common/catalog/put", put, bearer("actor")).status == 403)
        for path in ["/v1/spaces", "/v1/spaces?limit=1"] {
            #expect(try server.ask("GET", path, nil, bearer("actor")).status == 403)
        }
        #expect(try server.ask("DELETE", "/v1/spaces/shared", nil, bearer("actor")).status == 403)
        for token in ["root", "all"] {
            #expect(try server.ask("POST", "/v1/spaces/common/catalog/put", put, bearer(token)).status == 200)
            #expect(try server.ask("GET", "/v1/spaces", nil, bearer(token)).text.contains("alice-1"))
        }
        #expect(try server.ask("DELETE", "/v1/spaces/shared", nil, bearer("root")).status == 204)
        for path in ["/healthz", "/readyz"] { #expect(try server.ask("GET", path).status == 200) }
        #expect(try server.ask("GET", "/v1").status == 401 && server.ask("GET", "/v1/nothing").status == 401)
        // A server with tokens serves any host name.
        #expect(try server.ask("GET", "/healthz", nil, ["Host": "example.org"]).status == 200)
    }

    @Test func `SIGHUP reads the tokens again and ends the streams of withdrawn tokens`() throws {
        let scratch = try Scratch()
        let both = try "\(digest("one")) read\n\(digest("two")) read,metrics\n"
        let file = try scratch.file("tokens", both)
        let server = try Service("--memory", "--tokens", file, "--threads", "2")
        let first = try server.stream("/v1/spaces/a/user/title?access_token=one")
        let second = try server.stream("/v1/spaces/a/user/title", bearer("two"))
        let changes = try server.stream("/v1/spaces/b/changes", bearer("one"))
        _ = (try first.event(), try second.event())
        let polls = try ["a/user/title", "b/changes"].map { path in
            let tag = try server.ask("GET", "/v1/spaces/\(path)", nil, bearer("one")).tag
            let poll = try server.connect()
            try poll.send(Request.text("GET", "/v1/spaces/\(path)?since=\(tag)&wait=60", nil, bearer("one")))
            return poll
        }
        #expect(try server.eventually { try server.metric("headwater_polls_waiting", bearer("two")) == 2 })
        // The cached authorization of a request applies to the next one with the same bytes until the token is
        // withdrawn.
        let regular = try server.connect()
        let question = Request.text("GET", "/v1/spaces/a/user/title", nil, bearer("one"))
        for _ in 0..<3 {
            try regular.send(question)
            #expect(try regular.response().status == 200)
        }
        _ = try scratch.file("tokens", "nonsense\n")
        server.program.kill(SIGHUP)
        _ = try scratch.file("tokens", both.split(separator: "\n")[1] + "\n")
        server.program.kill(SIGHUP)
        #expect(try first.event() == nil)
        #expect(try changes.event() == nil)
        for poll in polls { #expect(try poll.response().status == 304) }
        for _ in 0..<2 {
            try regular.send(question)
            #expect(try regular.response().status == 401)
        }
        #expect(try server.ask("GET", "/v1/spaces/a/user/title", nil, bearer("one")).status == 401)
        #expect(try server.ask("GET", "/v1/spaces/a/user/title", nil, bearer("two")).status == 200)
        #expect(!second.hasMore())
    }

    @Test func `a repeated request is answered by the rights at its arrival`() throws {
        let scratch = try Scratch()
        let file = try scratch.file("tokens", "\(digest("one")) read\n\(digest("witness")) read\n")
        let server = try Service("--memory", "--tokens", file, "--threads", "1")
        let client = try server.connect()
        func act() throws -> Int {
            try client.send(Request.text("POST", "/v1/spaces/a/user/logIn", #"{"name": "Ada"}"#, bearer("one")))
            return try client.response().status
        }
        #expect(try act() == 403 && act() == 403)
        for (lines, status) in [("act", 200), ("act b", 403), ("admin a,b", 200), ("read", 403)] {
            // The stream of a token that comes and goes shows when the file was read.
            let witness = try server.stream("/v1/spaces/a/user/title", bearer("witness"))
            _ = try scratch.file("tokens", "\(digest("one")) \(lines)\n")
            server.program.kill(SIGHUP)
            while try witness.event() != nil {}
            #expect(try act() == status && act() == status, "\(lines)")
            _ = try scratch.file("tokens", "\(digest("one")) \(lines)\n\(digest("witness")) read\n")
            server.program.kill(SIGHUP)
            #expect(try server.eventually { try server.ask("GET", "/v1", nil, bearer("witness")).status == 200 })
        }
    }

    @Test func `a token has a limited number of streams, and a closed one frees its place`() throws {
        let server = try Service(
            "--memory", "--max-streams", "2", "--threads", "2", environment: ["HEADWATER_TOKEN": "t"])
        do {
            let kept = try [
                server.stream("/v1/spaces/a/user/title", bearer("t")),
                server.stream("/v1/spaces/b/changes", bearer("t")),
            ]
            let refused = try server.ask("GET", "/v1/spaces/c/views?events=1", nil, bearer("t"))
            #expect(try refused.isProblem("too-many", 429) && refused["Retry-After"] != nil)
            _ = try kept[0].event()
        }
        #expect(
            try server.eventually {
                try server.ask("HEAD", "/v1/spaces/c/views?events=1", nil, bearer("t")).status == 200
            })
    }

    @Test func `a server without tokens answers loopback names only`() throws {
        let server = try Service.shared()
        for host in [
            "localhost", "localhost:1", "127.0.0.1", "127.5.5.5:80", "[::1]", "[::1]:80", "app.localhost", "LOCALHOST",
        ] {
            #expect(try server.ask("GET", "/healthz", nil, ["Host": host]).status == 200, "\(host)")
        }
        for host in [
            "example.org", "localhost.example.org", "127.0.0.1.example.org", "0.0.0.0", "128.0.0.1", "[::2]", "127.0.0",
            "",
        ] {
            #expect(try server.ask("GET", "/healthz", nil, ["Host": host]).isProblem("misdirected", 421), "\(host)")
        }
        #expect(
            try server.raw("GET http://example.org/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").hasPrefix(
                "HTTP/1.1 421 "))
    }

    @Test func `requests from pages of other origins are refused unless the origin is allowed`() throws {
        let server = try Service(
            "--memory", "--allow-origin", "https://a.example", "--allow-origin", "https://b.example:8443")
        func ask(_ method: String, _ origin: String, _ more: [String: String] = [:]) throws -> Response {
            try server.ask(method, "/v1/spaces/a/user/title", nil, ["Origin": origin].merging(more) { $1 })
        }
        for origin in [
            "https://c.example", "http://a.example", "https://a.example:1", "null", "https://a.example.evil.example",
        ] {
            let refused = try ask("GET", origin)
            #expect(try refused.isProblem("foreign-origin", 403) && refused["Access-Control-Allow-Origin"] == nil)
            #expect(try ask("OPTIONS", origin, ["Access-Control-Request-Method": "GET"]).status == 403)
        }
        #expect(
            try server.ask("POST", "/v1/spaces/a/user/logIn", #"{"name": "Eve"}"#, ["Origin": "https://c.example"])
                .status == 403)
        #expect(
            try ask("GET", "http://localhost")["Access-Control-Allow-Origin"] == nil
                && ask("GET", "http://localhost").text == #""Logged out""#)
        for origin in ["https://a.example", "https://b.example:8443"] {
            let answer = try ask("GET", origin)
            #expect(
                answer.status == 200 && answer["Access-Control-Allow-Origin"] == origin
                    && answer["Vary"]?.contains("Origin") == true)
            #expect(answer["Access-Control-Expose-Headers"]?.contains("ETag") == true)
            let preflight = try ask(
                "OPTIONS", origin, ["Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "prefer"])
            #expect(preflight.status == 204 && preflight["Access-Control-Allow-Origin"] == origin)
            #expect(preflight["Access-Control-Allow-Methods"]?.contains("GET") == true)
            #expect(preflight["Access-Control-Allow-Headers"]?.contains("If-None-Match") == true)
            let problem = try server.ask("GET", "/v1/nothing", nil, ["Origin": origin])
            #expect(problem.status == 404)
        }
        #expect(try server.ask("GET", "/v1/spaces/a/user/title")["Vary"]?.contains("Origin") == true)
        let plain = try Service.shared().ask("OPTIONS", "/v1/spaces/a/user/title")
        #expect(
            plain.status == 204 && plain["Allow"] == "GET, HEAD, OPTIONS"
                && plain["Access-Control-Allow-Methods"] == nil)
    }

    @Test func `a rate limits actions, and the answer has the number left`() throws {
        let server = try Service("--memory", "--rate", "3", "--threads", "1")
        var statuses: [Int] = []
        for index in 0..<8 {
            let answer = try server.ask("POST", "/v1/spaces/a/user/save", "{\"name\": \"n\(index)\"}")
            statuses.append(answer.status)
            #expect(answer["RateLimit"] != nil && answer["RateLimit-Policy"]?.contains("q=3;w=1") == true)
            if answer.status == 429 { #expect(try answer.isProblem("too-many", 429) && answer["Retry-After"] == "1") }
        }
        #expect(statuses.prefix(3) == [200, 200, 200] && statuses.contains(429))
        #expect(try server.ask("GET", "/v1/spaces/a/user/name").status == 200)
    }
}
