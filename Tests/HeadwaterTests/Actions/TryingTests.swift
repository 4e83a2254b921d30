import JSON
import Testing

/// Tries share one server. No try makes the server large or delays the other tries for long.
@Suite struct TryingTests {
    private static func items(_ count: Int, _ value: String = "1") -> String {
        #"{"stream":[\#(Array(repeating: #"{"value":\#(value)}"#, count: count).joined(separator: ","))]}"#
    }

    /// A definition that delivers fifty million bytes without a limit.
    private static let large =
        #"{"definition":{"source":{"flatMap":[\#(items(100)),\#(items(10)),\#(items(1, "\"\(String(repeating: "x", count: 50_000))\""))]}},"until":3600}"#
    /// A definition that computes up to its limit, by comparing large values.
    private static let long: String = {
        let list = "[\(Array(repeating: "1", count: 14_000).joined(separator: ","))]"
        let play = #"{"flatMap":[\#(items(100)),\#(items(100)),\#(items(1, "[\(list),1]"))]}"#
        return #"{"definition":{"source":\#(play),"operators":[{"contains":{"value":[\#(list),2]}}]}}"#
    }()
    private static let small = #"{"definition":{"stream":[{"value":1}]}}"#

    private func ask(_ client: Client, _ body: String, _ space: String, _ token: String? = nil) throws {
        var fields: [String: String] = [:]
        if let token { fields["Authorization"] = "Bearer \(token)" }
        try client.send(Request.text("POST", "/v1/spaces/\(space)/streams:test", body, fields))
    }

    @Test func `a try that delivers too much is refused, and the problem names the limit`() throws {
        let answer = try Service.shared().ask("POST", "/v1/spaces/try1/streams:test", Self.large)
        #expect(try answer.isProblem("try-too-large", 422))
        #expect(answer.text.contains("4194304 bytes of JSON"))
    }

    @Test func `a value at the greatest depth fits in an answer`() throws {
        let server = try Service.shared()
        func deep(_ count: Int) -> String {
            let collects = Array(repeating: #"{"collect":{"count":1}}"#, count: 32).joined(separator: ",")
            let more = Array(repeating: #"{"collect":{"count":1}}"#, count: count - 32).joined(separator: ",")
            return
                #"{"definition":{"source":{"source":{"stream":[{"value":1}]},"operators":[\#(collects)]},"operators":[\#(more)]}}"#
        }
        #expect(try server.ask("POST", "/v1/spaces/try2/streams:test", deep(64)).text.contains("[[[[1]]]]"))
        #expect(try server.ask("POST", "/v1/spaces/try2/streams:test", deep(65)).text.contains("more than 64 deep"))
    }

    @Test func `long tries delay a small one only briefly, and their number is limited`() throws {
        let server = try Service("--memory", environment: ["HEADWATER_TOKEN": "secret"])
        let many = try (0..<6).map { _ in try server.connect() }
        for client in many { try ask(client, Self.long, "try3", "secret") }
        var answers = try many.map { try $0.response() }
        #expect(
            try answers.filter { $0.status == 429 }.allSatisfy {
                try $0.isProblem("too-many", 429) && $0["Retry-After"] == "1"
            })
        #expect(answers.contains { $0.status == 429 })
        answers.removeAll { $0.status == 429 }
        #expect(try !answers.isEmpty && answers.allSatisfy { try $0.isProblem("try-too-large", 422) })

        let clients = try (0..<3).map { _ in try server.connect() }
        for client in clients { try ask(client, Self.long, "try3", "secret") }
        let quick = try server.connect()
        try ask(quick, Self.small, "try3", "secret")
        #expect(try quick.response().status == 200)
        #expect(clients.contains { !$0.hasMore() })
        for client in clients { #expect(try client.response().isProblem("try-too-large", 422)) }
    }

    @Test func `tries count as actions`() throws {
        let server = try Service("--memory", "--rate", "2")
        let client = try server.connect()
        var statuses: [Int] = []
        for _ in 0..<5 {
            try ask(client, Self.small, "try4")
            let answer = try client.response()
            statuses.append(answer.status)
            #expect(answer["RateLimit"] != nil)
        }
        #expect(statuses.first == 200 && statuses.contains(429))
    }
}
