import Testing

/// Law H3: each resource has a limit, and each limit an answer.
@Suite struct LimitsTests {
    let server: Service

    init() throws {
        server = try Service.shared()
    }

    @Test func `a request line has at most 8 KiB`() throws {
        func line(_ count: Int) -> String { "GET /healthz?" + String(repeating: "x", count: count - 22) + " HTTP/1.1" }
        #expect(try server.raw(line(8_192) + "\r\nHost: localhost\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        #expect(try server.raw(line(8_193) + "\r\nHost: localhost\r\n\r\n").hasPrefix("HTTP/1.1 414 "))
        #expect(try server.raw(line(20_000), isEnded: false).hasPrefix("HTTP/1.1 414 "))
    }

    @Test func `a header has at most 16 KiB and 100 fields`() throws {
        func request(_ count: Int) -> String {
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + String(repeating: "x", count: count - 17 - 5)
                + "\r\n\r\n"
        }
        #expect(try server.raw(request(16_384)).hasPrefix("HTTP/1.1 200 "))
        #expect(try server.raw(request(16_385)).hasPrefix("HTTP/1.1 431 "))
        func fields(_ count: Int) -> String {
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + String(repeating: "X: 1\r\n", count: count - 1) + "\r\n"
        }
        #expect(try server.raw(fields(100)).hasPrefix("HTTP/1.1 200 "))
        #expect(try server.raw(fields(101)).hasPrefix("HTTP/1.1 431 "))
        #expect(
            try server.raw("GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 40_000), isEnded: false).hasPrefix(
                "HTTP/1.1 431 "))
    }

    @Test func `a body has at most 1 MiB`() throws {
        let padding = String(repeating: " ", count: 1_048_576 - 2)
        #expect(try server.ask("POST", "/v1/spaces/limits1/user/logOut", "{}" + padding).status == 200)
        #expect(
            try server.ask("POST", "/v1/spaces/limits1/user/logOut", "{}" + padding + " ").isProblem("too-large", 413))
        let head =
            "POST /v1/spaces/limits1/user/logOut HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        #expect(try server.raw(head + "Content-Length: 99999999999999999999999999\r\n\r\n").hasPrefix("HTTP/1.1 413 "))
        #expect(try server.raw(head + "Transfer-Encoding: chunked\r\n\r\n100001\r\n").hasPrefix("HTTP/1.1 413 "))
    }

    @Test(arguments: [
        "GET /healthz HTTP/1.1\r\nHost: loc",
        "POST /v1/spaces/a/user/logOut HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /he",
    ])
    func `a request that does not arrive in time is 408`(_ text: String) throws {
        let answers = try server.raw(text, isEnded: false)
        #expect(answers.contains("HTTP/1.1 408 Request Timeout\r\n"))
        #expect(answers.contains("/problems/request-timeout"))
    }

    @Test func `an idle connection and a connection whose reader accepts nothing are closed`() throws {
        let server = try Service("--memory", "--idle-timeout", "1", "--stall-timeout", "1", "--threads", "1")
        let idle = try server.connect()
        try idle.send(Request.text("GET", "/healthz"))
        #expect(try idle.response().status == 200)
        #expect(try idle.isEnded())
        // The client reads no answers: the server reads a bounded number of requests, and the connection ends.
        let flood = try Client(port: server.port, receiveBytes: 4_096)
        let request = String(repeating: Request.text("GET", "/v1"), count: 100)
        var rounds = 0
        while rounds < 2_000 {
            do { try flood.send(request) } catch { break }
            rounds += 1
        }
        #expect(rounds < 2_000)
        #expect(try server.eventually { try server.metric("headwater_connections") <= 1 })
    }

    @Test func `a stream whose reader accepts nothing is closed`() throws {
        let server = try Service("--memory", "--stall-timeout", "1", "--threads", "1")
        let deaf = try server.stream("/v1/spaces/a/catalog/products", receiveBytes: 4_096)
        _ = try server.changeMuch()
        #expect(try server.eventually { try server.metric("headwater_streams_active") == 0 })
        _ = deaf
    }

    @Test func `above the limit of connections the oldest idle one is closed, then the answer is 503`() throws {
        let server = try Service("--memory", "--max-connections", "16", "--threads", "2")
        var kept = try (0..<16).map { _ in try server.connect() }
        for (index, client) in kept.enumerated() {
            try client.send(Request.text("GET", "/v1/spaces/s\(index)/user/title"))
            #expect(try client.response().status == 200)
        }
        // The first connection is the oldest.
        #expect(try server.ask("GET", "/healthz").status == 200)
        #expect(try kept.removeFirst().isEnded())
        for client in kept { try client.send("GET /healthz HTTP/1.1\r\n") }
        let streams = try [server.connect()]
        try streams[0].send("GET /healthz HTTP/1.1\r\n")
        #expect(
            try server.eventually {
                let client = try server.connect()
                try client.send(Request.text("GET", "/healthz"))
                let answer = try client.response()
                return try answer.status == 503 && answer["Retry-After"] != nil && answer.isProblem("no-room", 503)
            })
        for client in kept {
            try client.send("Host: localhost\r\n\r\n")
            #expect(try client.response().status == 200)
        }
        #expect(try server.ask("GET", "/healthz").status == 200)
    }
}
