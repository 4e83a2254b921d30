import Foundation
import Outgoing
import StateStore
import Synchronization
import Testing

/// The HTTP client. The tests run serially, because some change the environment of the process.
@Suite(.serialized) struct OutgoingTests {
    let outgoing = Outgoing()

    private func start(_ request: OutgoingRequest) -> (Promise<Result<OutgoingResponse, FetchFailure>>, Cancellation) {
        let later = Promise<Result<OutgoingResponse, FetchFailure>>()
        return (later, outgoing.fetch(request) { later.come($0) })
    }

    private func get(
        _ url: String, _ change: (inout OutgoingRequest) -> Void = { _ in }
    ) throws -> Result<OutgoingResponse, FetchFailure> {
        var request = OutgoingRequest("GET", url, target: "test")
        change(&request)
        return try start(request).0.wait()
    }

    private var outcomes: [String: Int] {
        Dictionary(
            uniqueKeysWithValues: outgoing.counts.filter { $0.target == "test" }.map { ($0.outcome, $0.requests) })
    }

    // Law G1
    @Test func `a response has its status, fields and body`() throws {
        let server = try ScriptedServer.answering { line, request in
            line.answer(
                "you said \(request.split(separator: "\r\n")[0])", fields: "ETag:  \"a b\" \r\nX-One: 1\r\nX-One: 2\r\n"
            )
        }
        defer { server.close() }
        let response = try get(server.url + "/a?b=c").get()
        #expect(response.status == 200 && response.body == Array("you said GET /a?b=c HTTP/1.1".utf8))
        #expect(response["etag"] == "\"a b\"" && response["x-one"] == "1" && response["nothing"] == nil)
        #expect(outcomes == ["2xx": 1])
    }

    // Law G1
    @Test func `the method, fields and body of a request arrive`() throws {
        let server = try ScriptedServer.answering { line, request in line.answer(request) }
        defer { server.close() }
        let echoed = String(
            decoding: try get(server.url + "/orders") {
                $0.method = "POST"
                $0.body = Array(#"{"a": 1}"#.utf8)
                $0.fields = [
                    .init("Content-Type", "application/json"), .init("Idempotency-Key", "k1"),
                    .init("If-None-Match", "\"x\""),
                ]
            }.get().body, as: UTF8.self)
        #expect(echoed.hasPrefix("POST /orders HTTP/1.1\r\n") && echoed.hasSuffix("\r\n\r\n{\"a\": 1}"))
        for field in [
            "Content-Type: application/json", "Idempotency-Key: k1", "If-None-Match: \"x\"", "User-Agent: Headwater",
        ] {
            #expect(echoed.contains(field + "\r\n"), "\(field)")
        }
        let empty = String(
            decoding: try get(server.url) { ($0.method, $0.body) = ("PUT", []) }.get().body, as: UTF8.self)
        #expect(empty.hasPrefix("PUT / HTTP/1.1\r\n") && empty.contains("Content-Length: 0\r\n"))
    }

    // Law G1
    @Test func `a connection is reused`() throws {
        let server = try ScriptedServer.answering { line, _ in line.answer("ok") }
        defer { server.close() }
        for _ in 0..<5 { #expect(try get(server.url).get().status == 200) }
        #expect(server.connectionCount == 1)
    }

    // Law G1
    @Test(arguments: [(304, "3xx"), (404, "4xx"), (500, "5xx")])
    func `every status is a response`(_ status: Int, _ outcome: String) throws {
        let server = try ScriptedServer.answering { line, _ in
            line.send("HTTP/1.1 \(status) Whatever\r\n" + (status == 304 ? "\r\n" : "Content-Length: 2\r\n\r\nno"))
        }
        defer { server.close() }
        #expect(try get(server.url).get().status == status)
        #expect(outcomes == [outcome: 1])
    }

    // Law G2
    @Test func `a silent server fails after the timeout`() throws {
        let server = try ScriptedServer { line in line.waitForEnd() }
        defer { server.close() }
        let result = try get(server.url) { $0.timeout = .milliseconds(200) }
        #expect(kind(result) == .timedOut)
        #expect(outcomes == ["timedOut": 1])
    }

    // Law G2
    @Test func `a server that sends too slowly fails after the timeout`() throws {
        let server = try ScriptedServer { line in
            _ = line.request()
            line.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            var byte = pollfd()
            while line.send("x") { poll(&byte, 0, 20) }
        }
        defer { server.close() }
        #expect(kind(try get(server.url) { $0.timeout = .milliseconds(300) }) == .timedOut)
    }

    // Law G3
    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", "\u{0}\u{1}garbage\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope",
    ])
    func `an incomplete or malformed response is a failure`(_ bytes: String) throws {
        let server = try ScriptedServer { line in
            _ = line.request()
            line.send(bytes)
        }
        defer { server.close() }
        #expect(kind(try get(server.url)) == .broken)
        #expect(outcomes == ["broken": 1])
    }

    // Law G3
    @Test func `a port without a listener is unreachable`() throws {
        let server = try ScriptedServer { _ in }
        server.close()
        #expect(kind(try get(server.url)) == .unreachable)
        #expect(kind(try get("http://nobody.invalid/")) == .unreachable)
    }

    // Law G4
    @Test(arguments: [true, false])
    func `a body beyond the limit fails, with or without a Content-Length, and takes no more memory`(
        _ isTold: Bool
    ) throws {
        let chunk = [UInt8](repeating: 120, count: 1 << 20)
        let server = try ScriptedServer { line in
            _ = line.request()
            line.send("HTTP/1.1 200 OK\r\n" + (isTold ? "Content-Length: \(50 << 20)\r\n" : "") + "\r\n")
            for _ in 0..<50 { guard line.send(chunk) else { return } }
        }
        defer { server.close() }
        let before = Self.peakBytes()
        let result = try get(server.url)
        #expect(kind(result) == .tooLarge)
        #expect(Self.peakBytes() - before < 40 << 20)
        #expect(try get(server.url) { $0.bodyLimitBytes = 64 << 20 }.get().body.count == 50 << 20)
    }

    private static func peakBytes() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss * 1_024
    }

    // Law G4
    @Test func `an endless header fails`() throws {
        let server = try ScriptedServer { line in
            _ = line.request()
            line.send("HTTP/1.1 200 OK\r\n")
            for number in 0..<100_000 {
                guard line.send("X-\(number): \(String(repeating: "y", count: 200))\r\n") else { return }
            }
        }
        defer { server.close() }
        #expect(kind(try get(server.url)) == .broken)
    }

    // Law G5
    @Test func `redirects are followed, at most five`() throws {
        let server = try ScriptedServer.answering { line, request in
            let left = Int(request.split(separator: " ")[1].dropFirst()) ?? 0
            let isEnd = left == 0
            line.answer(
                isEnd ? "there" : "elsewhere", status: isEnd ? "200 OK" : "302 Found",
                fields: isEnd ? "" : "X-Old: 1\r\nLocation: /\(left - 1)\r\n")
        }
        defer { server.close() }
        let response = try get(server.url + "/5").get()
        #expect(response.status == 200 && response.body == Array("there".utf8) && response["x-old"] == nil)
        #expect(kind(try get(server.url + "/6")) == .redirected)
    }

    // Law G5
    @Test func `credentials for one server are not forwarded to another`() throws {
        let other = try ScriptedServer.answering { line, request in line.answer(request) }
        let server = try ScriptedServer.answering { line, request in
            guard request.hasPrefix("GET /away ") else { return line.answer(request) }
            line.answer("", status: "302 Found", fields: "Location: \(other.url)/\r\n")
        }
        defer {
            server.close()
            other.close()
        }
        for (path, isSent) in [("/", true), ("/away", false)] {
            let echoed = try get(server.url + path) { $0.fields = [.init("Authorization", "Bearer secret")] }.get().body
            #expect(String(decoding: echoed, as: UTF8.self).contains("secret") == isSent)
        }
    }

    // Law G5
    @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/"])
    func `a redirect to a scheme other than http and https fails`(_ place: String) throws {
        let server = try ScriptedServer.answering { line, _ in
            line.answer("", status: "302 Found", fields: "Location: \(place)\r\n")
        }
        defer { server.close() }
        #expect(kind(try get(server.url)) == .redirected)
        #expect(kind(try get(place)) == .refused)
    }

    // Law G5
    @Test func `a request with an embedded line break is refused`() throws {
        #expect(kind(try get("http://127.0.0.1:1/\r\nX: y")) == .refused)
        #expect(kind(try get("http://127.0.0.1:1/") { $0.fields = [.init("A", "b\r\nC: d")] }) == .refused)
        #expect(kind(try get("http://127.0.0.1:1/") { $0.method = "GET / HTTP/1.1\r\n" }) == .refused)
        #expect(outcomes == ["refused": 3])
    }

    // Law G6
    @Test func `cancelling a request closes its connection`() throws {
        let (arrived, left) = (Promise<Bool>(), Promise<Bool>())
        let server = try ScriptedServer { line in
            _ = line.request()
            arrived.come(true)
            line.waitForEnd()
            left.come(true)
        }
        defer { server.close() }
        let (later, cancellation) = start(OutgoingRequest("GET", server.url, target: "test"))
        _ = try arrived.wait()
        cancellation.cancel()
        _ = try left.wait()
        cancellation.cancel()
        #expect(throws: Promise<Result<OutgoingResponse, FetchFailure>>.DeadlineExceeded.self) {
            try later.wait(seconds: 0.05)
        }
        #expect(outcomes == ["cancelled": 1])
    }

    // Law G6
    @Test func `connections to one host stay within the limit, and all requests are answered`() throws {
        let most = Mutex((now: 0, most: 0))
        let server = try ScriptedServer.answering { line, _ in
            most.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            var nobody = pollfd()
            poll(&nobody, 0, 10)
            most.withLock { $0.now -= 1 }
            line.answer("ok")
        }
        defer { server.close() }
        let all = (0..<60).map { _ in start(OutgoingRequest("GET", server.url, target: "test")).0 }
        for one in all { #expect(try one.wait().get().status == 200) }
        #expect(most.withLock { $0.most } <= Outgoing.hostConnectionsLimit)
        #expect(server.connectionCount <= Outgoing.hostConnectionsLimit)
    }

    // Law G6
    @Test func `closing fails the requests in progress, and further ones are refused`() throws {
        let server = try ScriptedServer { line in line.waitForEnd() }
        defer { server.close() }
        let (later, _) = start(OutgoingRequest("GET", server.url, target: "test"))
        outgoing.close()
        #expect(kind(try later.wait()) == .refused)
        #expect(kind(try get(server.url)) == .refused)
        outgoing.close()
    }
}
