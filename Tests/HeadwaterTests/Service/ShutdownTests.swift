import Glibc
import JSON
import Testing

/// Law H9: the server shuts down in order: requests are answered, streams end after a whole event, and acknowledged
/// commits stay.
@Suite struct ShutdownTests {
    @Test(arguments: [SIGTERM, SIGINT])
    func `streams, polls and connections end in order, and the process exits with 0`(_ signal: Int32) throws {
        let scratch = try Scratch()
        let server = try Service("--data", scratch.data, "--threads", "2")
        let streams = try (0..<10).map { try server.stream("/v1/spaces/s\($0 % 3)/user/title") }
        for stream in streams { _ = try stream.event() }
        let changes = try server.stream("/v1/spaces/a/changes")
        let title = try server.ask("GET", "/v1/spaces/a/user/title")["ETag"] ?? ""
        let poll = try server.connect()
        try poll.send(
            Request.text("GET", "/v1/spaces/a/user/title", nil, ["If-None-Match": title, "Prefer": "wait=60"]))
        let idle = try server.connect()
        try idle.send(Request.text("GET", "/healthz"))
        _ = try idle.response()
        let half = try server.connect()
        try half.send("GET /readyz HTTP/1.1\r\nHost: loc")
        #expect(try server.eventually { try server.metric("headwater_polls_waiting") == 1 })
        server.program.kill(signal)
        #expect(try poll.response().status == 304)
        #expect(try idle.isEnded())
        try half.send("alhost\r\n\r\n")
        let draining = try half.response()
        #expect(try draining.isProblem("not-ready", 503) && draining["Retry-After"] != nil)
        #expect(throws: Trouble.self) { try server.connect().send("GET") }
        for stream in streams + [changes] { while try stream.block() != nil {} }
        #expect(server.program.wait() == 0)
    }

    @Test func `a server that drains listens, answers, and closes each connection with its answer`() throws {
        let server = try Service("--memory", "--threads", "1", "--drain", "6")
        let streams = try (0..<10).map { _ in try server.stream("/v1/spaces/a/user/title") }
        for stream in streams { _ = try stream.event() }
        let kept = try server.connect()
        try kept.send(Request.text("GET", "/healthz"))
        #expect(try kept.response()["Connection"] == nil)
        server.program.kill(SIGTERM)
        #expect(try server.eventually { try server.ask("GET", "/readyz").status == 503 })
        #expect(try server.eventually { try server.ask("GET", "/healthz")["Connection"] == "close" })
        let answer = try server.ask("POST", "/v1/spaces/a/user/logIn", #"{"name": "Ada"}"#)
        #expect(answer.status == 200 && answer["Connection"] == "close")
        try kept.send(Request.text("GET", "/healthz"))
        #expect(try kept.response()["Connection"] == "close" && kept.isEnded())
        // The clients of streams are told when to come back, each at another time.
        var delays: Set<String> = []
        for stream in streams {
            while let block = try stream.block() { if block.hasPrefix("retry: ") { delays.insert(block) } }
        }
        #expect(delays.count > 5)
        server.program.kill(SIGTERM)
        #expect(server.program.wait() == 1)
    }

    @Test func `acknowledged actions are durable`() throws {
        let scratch = try Scratch()
        let server = try Service("--data", scratch.data, "--threads", "2")
        let actors = try (0..<8).map { _ in try server.connect() }
        for (index, actor) in actors.enumerated() {
            for _ in 0..<200 {
                try actor.send(Request.text("POST", "/v1/spaces/s\(index)/cart/add", #"{"productId": 1}"#))
            }
        }
        var acknowledged = [Int](repeating: 0, count: 8)
        for (index, actor) in actors.enumerated() {
            #expect(try actor.response().status == 200)
            acknowledged[index] = 1
        }
        server.program.kill(SIGTERM)
        for (index, actor) in actors.enumerated() {
            // The connection ends with the server.
            while let answer = try? actor.response(), answer.status == 200 { acknowledged[index] += 1 }
        }
        #expect(server.program.wait() == 0)
        let again = try Service("--data", scratch.data)
        for (index, count) in acknowledged.enumerated() {
            #expect(try #require(again.ask("GET", "/v1/spaces/s\(index)/cart/numberOfItems").json.integer) >= count)
        }
    }

    @Test func `a second signal ends the process at once`() throws {
        let server = try Service("--memory", "--threads", "1", "--drain", "6")
        let streams = try (0..<20).map { _ in try server.stream("/v1/spaces/a/user/title") }
        server.program.kill(SIGTERM)
        // The first stream ends at once, the others later.
        #expect(try server.eventually { try server.ask("GET", "/readyz").status == 503 })
        server.program.kill(SIGTERM)
        #expect(server.program.wait() == 1)
        _ = streams
    }
}
