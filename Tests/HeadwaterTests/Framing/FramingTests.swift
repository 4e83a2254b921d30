import Foundation
import JSON
import Testing

/// Law H1: an ambiguous request is refused, its connection closes, and no request after it is performed.
@Suite struct FramingTests {
    let server: Service

    init() throws {
        server = try Service.shared()
    }

    private static let action =
        "POST /v1/spaces/framing/user/logOut HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    /// A request that must never be performed; its effect would be visible.
    private static let smuggled =
        "POST /v1/spaces/smuggled/user/logIn HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Content-Length: 14\r\n\r\n{\"name\":\"Eve\"}"

    @Test(arguments: [
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n",
        "Content-Length: 2\r\nContent-Length: 2\r\n\r\n", "Content-Length: 2, 2\r\n\r\n", "Content-Length: +2\r\n\r\n",
        "Content-Length: -2\r\n\r\n", "Content-Length: 0x2\r\n\r\n", "Content-Length: 2 2\r\n\r\n",
        "Content-Length:\r\n\r\n",
        "Content-Length: 2\u{0}\r\n\r\n", "Content-Length : 2\r\n\r\n", " Content-Length: 2\r\n\r\n",
        "X: 1\r\n Content-Length: 2\r\n\r\n",
        "Transfer-Encoding: gzip, chunked\r\n\r\n", "Transfer-Encoding: chunked, chunked\r\n\r\n",
        "Transfer-Encoding: identity\r\n\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n", "Transfer-Encoding: \u{b}chunked\r\n\r\n",
        "Transfer-Encoding: chunked;x=1\r\n\r\n", "Transfer-Encoding:\r\n\r\n", "X: a\rb\r\n\r\n", "X: a\nY: b\r\n\r\n",
        "X: a\r\r\n\r\n",
        "X: a\r\n\rContent-Length: 91\r\n\r\n", "\rY: b\r\n\r\n",
        "X: \u{0}\r\n\r\n", "X\u{0}: 1\r\n\r\n", "(X): 1\r\n\r\n", ": 1\r\n\r\n", "X\r\n\r\n", "Host: other\r\n\r\n",
        "\n",
        "Transfer-Encoding: chunked\r\n\r\n0x2\r\n", "Transfer-Encoding: chunked\r\n\r\n+2\r\n",
        "Transfer-Encoding: chunked\r\n\r\n 2\r\n",
        "Transfer-Encoding: chunked\r\n\r\n2 \r\n", "Transfer-Encoding: chunked\r\n\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n-2\r\n",
        "Transfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n000000002\r\n{}\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n2;a\rb\r\n{}\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX : 1\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n X: 1\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF2\r\n",
    ])
    func `ambiguous framing is refused, and its connection closes`(_ rest: String) throws {
        let text = try server.raw(Self.action + rest + Self.smuggled)
        let answer = try Response(
            head: String(text.prefix(upTo: text.range(of: "\r\n\r\n")?.lowerBound ?? text.endIndex)))
        #expect(answer.status == 400, "\(answer)")
        #expect(answer["Connection"] == "close" && answer["Content-Type"] == "application/problem+json")
        #expect(text.components(separatedBy: "HTTP/1.1 ").count == 2, "more than one answer")
        #expect(try server.ask("GET", "/v1/spaces/smuggled").json["version"] == 0)
    }

    @Test(arguments: [
        ("GET /v1\r\nHost: localhost\r\n\r\n", 400), ("GET  /v1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("GET /v1 HTTP/1.1 \r\nHost: localhost\r\n\r\n", 400), ("GET\t/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("GET v1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400), ("GET /v1#x HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("GET /v1 HTTP/1.1\r\n\r\n", 400), ("GET /v1 HTTP/1.1\r\nHost: a b\r\n\r\n", 400),
        ("GET /v1 HTTP/1.1\r\nHost: localhost:x\r\n\r\n", 400),
        ("GET /v1 HTTP/1.1\r\nHost: a@localhost\r\n\r\n", 400),
        ("GET /v1 HTTP/1.1\r\nHost: localhost:+80\r\n\r\n", 400),
        ("GET http://a@localhost/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("GET http:///v1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("GET * HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("GET /v1 HTTP/2.0\r\nHost: localhost\r\n\r\n", 505), ("GET /v1 HTTP/1.10\r\nHost: localhost\r\n\r\n", 400),
        ("GET /v1 http/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("GET /v1 HTTP/1.1\r\nHost: localhost\r\nExpect: cake\r\n\r\n", 417),
        ("\u{16}\u{3}\u{1}", 400), ("\r\n\r\n\r\n\r\nGET /v1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    ])
    func `a malformed request is refused, and its connection closes`(_ text: String, _ status: Int) throws {
        let answer = try server.raw(text)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) ") && answer.contains("Connection: close\r\n"), "\(answer)")
    }

    @Test(arguments: [
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "\r\nGET /healthz HTTP/1.1\r\nHost:localhost:80\r\n\r\n",
        "GET http://localhost/healthz HTTP/1.1\r\nHost: ignored.example\r\n\r\n",
        "GET HTTP://LOCALHOST:80/healthz HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /%68ealthz?x=%20+ HTTP/1.1\r\nhOST: 127.0.0.1\r\nX:\r\nY: \t é \t\r\n\r\n",
        "GET /healthz HTTP/1.0\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: [::1]:8080\r\nContent-Length: 2\r\n\r\n{}",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: Chunked\r\n\r\n1;a=\"b\"\r\nx\r\n0a\r\n0123456789\r\n0\r\nX-Sum: 1\r\n\r\n",
    ])
    func `an unusual but unambiguous request is read`(_ text: String) throws {
        #expect(try server.raw(text).hasPrefix("HTTP/1.1 200 OK\r\n"))
        // The result is the same byte by byte.
        let client = try server.connect()
        for byte in text.unicodeScalars { try client.send(String(byte)) }
        #expect(try client.response().text == "ok\n")
    }

    @Test func `pipelined requests are answered in order`() throws {
        let client = try server.connect()
        var text = ""
        for index in 1...200 {
            text += Request.text("POST", "/v1/spaces/framing\(index % 3)/user/save", "{\"name\": \"n\(index)\"}")
            text += Request.text("GET", "/v1/spaces/framing\(index % 3)/user/name") + Request.text("HEAD", "/v1")
        }
        try client.send(text)
        for index in 1...200 {
            #expect(try client.response().status == 200)
            #expect(try client.response().text == "\"n\(index)\"")
            #expect(try client.response(isHead: true).status == 200)
        }
    }

    // The server is stopped until all clients have sent, so that one turn has more requests than answers sent at once.
    @Test func `many clients at the same moment all get their answers, each in order`() throws {
        let server = try Service("--memory", "--threads", "1")
        let clients = try (0..<150).map { _ in try server.connect() }
        for client in clients {
            try client.send(Request.text("GET", "/healthz"))
            #expect(try client.response().status == 200)
        }
        server.program.kill(SIGSTOP)
        let half = Request.text("GET", "/v1/spaces/moment/user/name")
        for (index, client) in clients.enumerated() {
            try client.send(
                Request.text("POST", "/v1/spaces/moment/user/save", "{\"name\": \"n\(index)\"}")
                    + Request.text("HEAD", "/v1"))
            if index % 3 == 0 { try client.send(half.prefix(20).description) }
            if index % 3 == 1 { try client.send(Request.text("GET", "/healthz", nil, ["Connection": "close"])) }
        }
        server.program.kill(SIGCONT)
        var versions: Set<String> = []
        for (index, client) in clients.enumerated() {
            versions.insert(try client.response().text)
            #expect(try client.response(isHead: true).status == 200)
            if index % 3 == 0 {
                try client.send(half.dropFirst(20).description)
                #expect(try client.response().text.hasPrefix("\"n"))
            }
            if index % 3 == 1 {
                #expect(try client.response().text == "ok\n")
                #expect(try client.isEnded())
            }
        }
        #expect(versions.count == clients.count)
    }

    @Test func `a connection stays open unless the client asks to close it`() throws {
        let client = try server.connect()
        for _ in 0..<3 {
            try client.send(Request.text("GET", "/healthz"))
            #expect(try client.response()["Connection"] == nil)
        }
        try client.send(
            Request.text("GET", "/healthz", nil, ["Connection": "TE, Close"]) + Request.text("GET", "/healthz"))
        #expect(try client.response()["Connection"] == "close")
        #expect(try client.isEnded())
        #expect(
            try server.raw("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", isEnded: false).contains(
                "Connection: close\r\n"))
    }

    @Test func `a client that expects 100-continue gets it once, and not if the body is there already`() throws {
        let client = try server.connect()
        let head = Self.action + "Expect: 100-Continue\r\nContent-Length: 2\r\n\r\n"
        try client.send(head)
        #expect(try client.head().status == 100)
        try client.send("{}")
        #expect(try client.response().status == 200)
        try client.send(head + "{}")
        #expect(try client.response().status == 200)
        try client.send(Self.action + "Expect: 100-continue\r\nContent-Length: 2000000\r\n\r\n")
        #expect(try client.response().status == 413)
    }

    // Law H2: a client that shuts down its sending side still gets its answers.
    @Test func `a client that shuts down its sending side gets all answers, then the end`() throws {
        let request = Request.text("GET", "/v1/spaces/framing/user/title")
        #expect(try server.raw(request + request + request).components(separatedBy: "HTTP/1.1 200 OK").count == 4)
        #expect(try server.raw(request + "GET /v1 HT").components(separatedBy: "HTTP/1.1 ").count == 2)
    }

    @Test func `OPTIONS * describes the whole server`() throws {
        let answer = try server.ask("OPTIONS", "*")
        #expect(answer.status == 204 && answer["Allow"]?.contains("GET") == true)
    }

    @Test func `every answer has a date and a request id, which the client can choose`() throws {
        let answer = try server.ask("GET", "/healthz", nil, ["X-Request-Id": "mine-7"])
        #expect(answer["X-Request-Id"] == "mine-7")
        #expect(answer["Date"]?.hasSuffix(" GMT") == true)
        #expect(try server.ask("GET", "/healthz")["X-Request-Id"]?.isEmpty == false)
    }
}
