import Foundation
import Glibc
import Platform
import JSON
import Testing

/// Hooks of the real program, delivered to a receiver over real sockets.
@Suite struct DeliveryTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    private func put(_ server: Service, _ id: String, _ source: String, port: Int) throws {
        let made = try server.ask(
            "PUT", "/v1/spaces/main/hooks/\(id)",
            #"{"source": \#(source), "url": "http://127.0.0.1:\#(port)/in", "secret": "\#(Self.secret)"}"#)
        #expect(made.status == 201, "\(made)")
    }

    /// Asks for a hook until it fulfils a condition.
    private func hook(_ id: String, of server: Service, _ isReached: (JSON) -> Bool) throws -> JSON {
        let deadline = MonotonicTime.now + 60_000_000_000
        while MonotonicTime.now < deadline {
            let hook = try server.ask("GET", "/v1/spaces/main/hooks/\(id)").json
            if isReached(hook) { return hook }
        }
        throw Trouble("the hook \(id) does not get there")
    }

    // Law HOOK1, Law HOOK2.
    @Test func `a server that is killed in the midst of 1,000 commits delivers every version, in order`() throws {
        let scratch = try Scratch()
        let receiver = try ReceivingServer()
        defer { receiver.close() }
        let arguments = ["--data", scratch.data, "--threads", "2", "--outgoing-allow", "127.0.0.1:\(receiver.port)"]
        var server = try Service(arguments: arguments)
        try put(server, "all", #"{"changes": ["cart/*"]}"#, port: receiver.port)
        try put(server, "view", #"{"view": "cart.numberOfItems"}"#, port: receiver.port)
        var acted = 0
        for round in 0..<4 {
            let actor = try server.connect()
            let count = (round + 1) * 250 - acted
            for index in 0..<count {
                try actor.send(Request.text("POST", "/v1/spaces/main/cart/add", "{\"productId\": \(1 + index % 3)}"))
            }
            for index in 0..<count {
                // The last ones of a round may be lost: then they are sent again.
                if round < 3, index == count - 20 { break }
                #expect(try actor.response().status == 200)
            }
            if round == 3 { break }
            server.program.kill(SIGKILL)
            _ = server.program.wait()
            server = try Service(arguments: arguments)
            acted = try #require(try server.ask("GET", "/v1/spaces/main").json["version"]?.integer)
        }
        let last = try #require(try server.ask("GET", "/v1/spaces/main").json["version"]?.integer)
        #expect(last >= 1_000)
        for (type, subject) in [("headwater.commit", "cart/add"), ("headwater.view", "cart.numberOfItems")] {
            let arrived = try receiver.deliveries(of: type, until: "main/\(last)")
            #expect(arrived.allSatisfy { $0.isSigned && $0.fields["ce-subject"] == subject })
            // Each id for the first time, in the order of arrival.
            var seen: Set<String> = []
            let first = arrived.filter { seen.insert($0.fields["ce-id"] ?? "").inserted }
            #expect(first.map { $0.fields["ce-id"] ?? "" } == (1...last).map { "main/\($0)" })
            let names = Dictionary(grouping: arrived) { $0.fields["ce-id"] ?? "" }
            #expect(names.values.allSatisfy { Set($0.map { $0.fields["webhook-id"] ?? "" }).count == 1 })
            #expect(names.values.allSatisfy { Set($0.map(\.body)).count == 1 })
            // A repeat goes back, and then on in order.
            let versions = arrived.compactMap { $0.fields["ce-id"].flatMap { Int($0.dropFirst(5)) } }
            let isOrdered = zip(versions, versions.dropFirst()).allSatisfy { $1 <= $0 + 1 }
            #expect(isOrdered)
        }
        for id in ["all", "view"] {
            let hook = try hook(id, of: server) { $0["behind"] == 0 }
            #expect(hook["cursor"]?.integer == last && hook["problem"] == .null)
        }
        server.program.kill(SIGTERM)
        #expect(server.program.wait() == 0)
        #expect(try Program.run("check", scratch.data).status == 0)
    }

    @Test func `a name that leads to this machine is not reached, and the hook says why`() throws {
        let receiver = try ReceivingServer()
        defer { receiver.close() }
        let server = try Service("--memory", "--outgoing-allow", "localhost")
        try server.ask(
            "PUT", "/v1/spaces/main/hooks/a",
            #"{"source": {"changes": ["*"]}, "url": "http://localhost:\#(receiver.port)/", "secret": "s"}"#)
        try server.ask("POST", "/v1/spaces/main/cart/add", #"{"productId": 1}"#)
        let hook = try hook("a", of: server) { $0["problem"] != .null }
        #expect("\(hook)".contains("a private address") && hook["behind"]?.integer == 1)
        #expect(receiver.count == 0)
        let metrics = try server.ask("GET", "/metrics").text
        #expect(metrics.contains(#"headwater_outgoing_requests_total{target="hooks",outcome="refused"}"#))
    }

    @Test func `the variable of the environment has several hosts`() throws {
        let server = try Service("--memory", environment: ["HEADWATER_OUTGOING_ALLOW": "a.example,b.example:81"])
        for (url, status) in [("https://a.example/", 201), ("http://b.example:81/", 201), ("http://b.example/", 422)] {
            let answer = try server.ask(
                "PUT", "/v1/spaces/main/hooks/a\(url.count)",
                #"{"source": {"changes": ["x/y"]}, "url": "\#(url)", "secret": "s"}"#)
            #expect(answer.status == status)
        }
        let ending = try Program.run("--memory", "--outgoing-allow", "http://a.example")
        #expect(ending.status == 2 && ending.errors.contains("--outgoing-allow takes HOST"))
    }

    // Law HOOK3.
    @Test func `an imported hook says that its secret cannot be read, and exports have none`() throws {
        let scratch = try Scratch()
        let arguments = ["--outgoing-allow", "127.0.0.1:9"]
        let server = try Service(arguments: ["--data", scratch.data] + arguments)
        try put(server, "a", #"{"changes": ["*"]}"#, port: 9)
        try server.ask("POST", "/v1/spaces/main/cart/add", #"{"productId": 1}"#)
        server.program.kill(SIGTERM)
        _ = server.program.wait()
        let export = try Program.run("export", scratch.data)
        #expect(export.status == 0 && export.output.contains("hooks/put"))
        #expect(!export.output.contains("whsec") && !export.output.contains("MfKQ9r8"))
        let (lines, other) = (scratch.data + ".lines", scratch.data + ".other")
        try export.output.write(toFile: lines, atomically: true, encoding: .utf8)
        #expect(try Program.run("import", other, input: lines).status == 0)
        let again = try Service(arguments: ["--data", other] + arguments)
        let hook = try again.ask("GET", "/v1/spaces/main/hooks/a").json
        #expect(hook["url"] == .null && "\(hook)".contains("put the hook again"))
        #expect(
            try again.ask(
                "PUT", "/v1/spaces/main/hooks/a",
                #"{"source": {"changes": ["*"]}, "url": "http://127.0.0.1:9/", "secret": "s"}"#
            ).json["url"] != .null)
    }
}
