import Documents
import Hosting
import JSON
import ServiceInProcess
import Testing

/// What a new document closes, and views that come and go.
@Suite struct ClosedByDocumentTests {
    private static let boss = "token.sub == 'root'"

    /// What a document shows of the secret.
    private struct Shape: CustomTestStringConvertible {
        let testDescription: String
        /// The views, the replica and the rules of the feature.
        let parts: String

        static let nothing = Shape(
            testDescription: "nothing", parts: #""views": {"n": {"expression": "size(state.gold)"}}"#)
        static let harmless = Shape(
            testDescription: "other values",
            parts: #""views": {"code": {"expression": "'x'"}}, "replica": {"gold": {"where": "row.t == 'never'"}}"#)
        static let rules = [
            Shape(
                testDescription: "a rule of the feature",
                parts: #""views": {"code": {"expression": "state.code"}}, "replica": {"gold": {}, "code": {}}, "#
                    + #""allow": {"read": "\#(boss)"}"#),
            Shape(
                testDescription: "a rule over the state",
                parts: #""views": {"code": {"expression": "state.code"}}, "replica": {"gold": {}, "code": {}}, "#
                    + #""allow": {"read": "state.code == 'open'"}"#),
            Shape(
                testDescription: "a rule of the view, without a replica",
                parts: #""views": {"code": {"expression": "state.code", "allow": "\#(boss)"}}"#),
        ]
    }

    private static func document(_ shape: Shape) -> String {
        #"""
        {"feature": "vault", "home": "space",
         "state": {"gold": {"table": {"key": {"type": "string"}, "row": {"type": "object",
             "properties": {"t": {"type": "string"}}}}}, "code": {"value": {"type": "string"}, "initial": ""}},
         "actions": {"fill": {"do": [{"put": "gold", "key": "'a'", "row": "{'t': 'SECRET'}"},
             {"set": "code", "to": "'SECRET'"}]}}, \#(shape.parts)}
        """#
    }

    private static func put(_ shape: Shape, _ service: ServiceInProcess) throws {
        let reply = try service.ask("PUT /v1/features/vault", ServiceInProcess.person("root"), document(shape))
        #expect(reply.status < 300, "\(reply.body)")
        service.settle()
    }

    // Law ID14
    @Test(arguments: Shape.rules, [true, false])
    private func `no stream shows a value that the new document closes`(_ rule: Shape, _ isDroppedBetween: Bool) throws
    {
        let service = try ServiceInProcess(
            tokenFile: ServiceInProcess.people, documents: FeatureCompiler(), features: [])
        try Self.put(.harmless, service)
        let filled = try service.ask("POST /v1/spaces/main/vault/fill", ServiceInProcess.person("root"), "{}")
        #expect(filled.status == 200)
        let eve = ServiceInProcess.person("eve")
        let watched = [
            #"{"main/vault.code": null}"#, #"{"main/vault!replica": null}"#,
            #"{"main/vault.code": null, "main/vault!replica": null}"#,
        ]
        let steered = try watched.map { try SteeredClient(service, #"{"watch": \#($0)}"#, eve) }
        let others = try [
            "GET /v1/spaces/main/vault/code", "GET /v1/spaces/main/views?view=vault.code",
            "GET /v1/live?watch=main/vault.code", "GET /v1/live?watch=main/vault.code&delta=json-patch",
        ].map { target in
            let stream = try service.connect()
            stream.send(target, eve.merging(["Accept": "text/event-stream"]) { $1 })
            service.settle()
            stream.receive()
            #expect(stream.takeHead()?.contains(" 200") == true)
            return stream
        }
        for client in steered { #expect(client.status == 200 && client.gone.isEmpty) }
        if isDroppedBetween { try Self.put(.nothing, service) }
        try Self.put(rule, service)
        service.advance(seconds: 5)
        for client in steered {
            client.read()
            #expect(!client.events.contains { "\($0)".contains("SECRET") }, "\(client.events)")
            #expect(!client.gone.isEmpty)
        }
        for stream in others {
            stream.receive()
            let text = stream.takeAll()
            #expect(!text.contains("SECRET"), "\(text)")
        }
        // Who may read it has it.
        let root = try SteeredClient(service, #"{"watch": {"main/vault.code": null}}"#, ServiceInProcess.person("root"))
        #expect(rule.parts.contains("'open'") || root.shown == ["main/vault.code": "SECRET"])
    }

    // Law ID14
    @Test(arguments: ["application/json", "text/csv"])
    func `no read that waits shows a value that the new document closes`(_ type: String) throws {
        let service = try ServiceInProcess(
            tokenFile: ServiceInProcess.people, documents: FeatureCompiler(), features: [])
        func document(_ select: String, _ rule: String) -> String {
            #"""
            {"feature": "vault", "home": "space",
             "state": {"gold": {"table": {"key": {"type": "string"}, "row": {"type": "object",
                 "properties": {"t": {"type": "string"}}}}}},
             "actions": {"fill": {"input": {"type": "object", "properties": {"from": {"type": "integer"}}},
                 "do": [{"each": "lists.range(1000)", "as": "i", "do": [
                   {"put": "gold", "key": "string(input.from + i)", "row": "{'t': 'SECRET ' + string(i)}"}]}]}},
             "views": {"all": {"from": "gold", "sort": ["key"], "select": "\#(select)"\#(rule)},
               "n": {"expression": "size(state.gold)"}}}
            """#
        }
        let root = ServiceInProcess.person("root")
        #expect(try service.ask("PUT /v1/features/vault", root, document("'x'", "")).status == 201)
        for from in stride(from: 0, to: 15_000, by: 1_000) {
            let body = #"{"from": \#(from)}"#
            #expect(try service.ask("POST /v1/spaces/main/vault/fill", root, body).status == 200)
        }
        for pause in 0..<3 {
            let reader = try service.connect()
            reader.send(
                "GET /v1/spaces/main/vault/all", ServiceInProcess.person("eve").merging(["Accept": type]) { $1 })
            for _ in 0..<pause { _ = try service.ask("GET /healthz") }
            let closed = document("row.t", #", "allow": "\#(Self.boss)""#)
            #expect(try service.ask("PUT /v1/features/vault", root, closed).status == 200)
            for _ in 0..<40 { service.settle() }
            reader.receive()
            let text = reader.takeAll()
            #expect(text.hasPrefix("HTTP/1.1 ") && !text.contains("SECRET"), "\(pause): \(text.prefix(300))")
            reader.close()
            #expect(try service.ask("PUT /v1/features/vault", root, document("'x'", "")).status == 200)
        }
    }

    // Law STEER1, law STEER4
    @Test func `a view that can be read again comes with the value of its version`() throws {
        let service = try SteeredStreamTests.service()
        let client = try SteeredClient(
            service, #"{"watch": {"main/board.mine": null}, "client": "AAAAAAAAAAAAAAAAAAAAAA", "progress": true}"#)
        for round in 0..<20 {
            _ = try SteeredStreamTests.act(service, "rename", #"{"topic": "secret"}"#)
            if round % 2 == 0 { client.read() }
            _ = try SteeredStreamTests.act(service, "rename", #"{"topic": "open \#(round)"}"#)
            for event in client.read() {
                let value = event["main/board.mine"]
                #expect(value == nil || value == .string("open \(round)"), "\(event)")
            }
            #expect(client.shown["main/board.mine"] == .string("open \(round)"))
        }
    }

    // Law STEER5
    @Test func `a refused change of presence changes no row`() throws {
        let service = try SteeredStreamTests.service()
        let client = try SteeredClient(
            service,
            #"{"watch": {"main/board.here": null}, "presence": {"main/board.here": {"as": "ada", "with": {"x": 1}}}}"#)
        for wrong in [
            #"{"main/board.here": {"as": "eva", "with": {"x": "no"}}}"#,
            #"{"main/board.here": {"as": "eva"}, "main/board.nowhere": {"as": "eva"}}"#,
        ] {
            #expect(try client.steer(#""presence": \#(wrong)"#).status >= 400)
            service.advance(seconds: 1)
            client.read()
            #expect(client.shown["main/board.here"] == ["ada"])
            #expect(try service.ask("GET /v1/spaces/main/board/here").json == ["ada"])
        }
    }

    // Law REPLICA2
    @Test func `a replica of a new life comes whole`() throws {
        let service = try ServiceInProcess(documents: FeatureCompiler(), features: [])
        try Self.put(
            Shape(
                testDescription: "all",
                parts: #""views": {"code": {"expression": "state.code"}}, "replica": {"gold": {}, "code": {}}"#),
            service)
        _ = try service.ask("POST /v1/spaces/main/vault/fill", [:], "{}")
        let client = try SteeredClient(service, #"{"watch": {"main/vault!replica": null}}"#)
        #expect(try service.ask("DELETE /v1/spaces/main").status == 204)
        service.advance(seconds: 1)
        let last = try #require(client.read().last)
        #expect(last["_reset"] == ["main"] && last["main/vault!replica"] == ["gold": [:], "code": ""], "\(last)")
    }
}
