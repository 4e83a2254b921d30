import Hosting
import Documents
import Glibc
import Ground
import JSON
import ServiceInProcess
import Testing

@testable import HeadwaterServer

/// `/mcp`: actions as tools, views as resources, with the rights and limits of HTTP.
@Suite struct AgentTests {
    private static let notes = #"""
        {"feature": "notes", "home": "space",
          "state": {"notes": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {
              "text": {"type": "string", "maxLength": 20}}, "required": ["text"]}}}},
          "actions": {"add": {"input": {"type": "object", "properties": {"id": {"type": "string"},
              "text": {"type": "string", "maxLength": 20}, "space": {"type": "string", "default": ""}},
              "required": ["id", "text"]},
            "require": [{"that": "!(input.id in state.notes)",
              "else": {"status": 409, "detail": "there is a note {input.id}", "pointer": "/id"}}],
            "do": [{"put": "notes", "key": "input.id", "row": "{'text': input.text}"}]}},
          "views": {"count": {"expression": "size(state.notes)"}}}
        """#
    private static let count = "headwater://spaces/main/notes/count"
    private static let modern = "2026-07-28"

    private static func digest(_ secret: String) -> String {
        SHA256.digest(secret.utf8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private static let people = [
        "root": "admin * subject=root", "ada": "act main subject=ada", "eva": "read main subject=eva",
    ].map { "\(digest($0.key)) \($0.value)" }.joined(separator: "\n")

    private func service(_ arguments: String...) throws -> ServiceInProcess {
        let service = try ServiceInProcess(
            tokenFile: Self.people, arguments: ["--mcp"] + arguments, documents: FeatureCompiler())
        let reply = try service.ask("PUT /v1/features/notes", Self.by("root"), Self.notes)
        #expect(reply.status == 201, "\(reply.body)")
        return service
    }

    private static func by(_ person: String) -> [String: String] { ["Authorization": "Bearer \(person)"] }

    /// Sends a message in a version with sessions.
    private func tell(
        _ service: ServiceInProcess, _ person: String, _ method: String, _ params: String = "{}",
        _ fields: [String: String] = [:]
    ) throws -> Reply {
        try service.ask(
            "POST /mcp", Self.by(person).merging(fields) { $1 },
            #"{"jsonrpc": "2.0", "id": 7, "method": "\#(method)", "params": \#(params)}"#)
    }

    private func call(
        _ service: ServiceInProcess, _ person: String, _ tool: String, _ arguments: String = "{}"
    ) throws -> JSON {
        let reply = try tell(service, person, "tools/call", #"{"name": "\#(tool)", "arguments": \#(arguments)}"#)
        return try #require(try reply.json["result"], "\(reply.body)")
    }

    /// Sends a message that stands alone.
    private func ask(
        _ service: ServiceInProcess, _ method: String, _ params: String = "", _ fields: [String: String] = [:],
        name: String? = nil
    ) throws -> Reply {
        let meta =
            #""_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}"#
        var all = ["MCP-Protocol-Version": Self.modern, "Mcp-Method": method].merging(Self.by("ada")) { $1 }
        if let name { all["Mcp-Name"] = name }
        return try service.ask(
            "POST /mcp", all.merging(fields) { $1 },
            #"{"jsonrpc": "2.0", "id": 7, "method": "\#(method)", "params": {\#(meta)\#(params.isEmpty ? "" : ", ")\#(params)}}"#
        )
    }

    private func code(_ reply: Reply) throws -> JSON? { try reply.json["error"]?["code"] }

    // MARK: Messages

    // Law AGENT1
    @Test func `a server without the option has no such path`() throws {
        let service = try ServiceInProcess()
        #expect(try service.ask("POST /mcp", [:], "{}").status == 404)
        #expect(try ServiceInProcess(arguments: ["--mcp"]).ask("POST /mcp", [:], "{}").status == 400)
    }

    // Law AGENT1
    @Test func `a message that stands alone names its version in itself and in its fields`() throws {
        let service = try service()
        let found = try ask(service, "server/discover").json["result"]
        #expect(found?["supportedVersions"]?[0] == "2026-07-28" && found?["resultType"] == "complete")
        let other = try ask(service, "tools/list", "", ["MCP-Protocol-Version": "2027-01-01"])
        #expect(try other.status == 400 && code(other) == -32_020)
        let wrong = try ask(service, "tools/list", "", ["Mcp-Method": "tools/call"])
        #expect(try wrong.status == 400 && code(wrong) == -32_020)
        let unnamed = try ask(service, "tools/call", #""name": "notes_add""#, name: "notes_none")
        #expect(try unnamed.status == 400 && code(unnamed) == -32_020)
        let coded = try ask(
            service, "resources/read", #""uri": "\#(Self.count)""#,
            name: "=?base64?aGVhZHdhdGVyOi8vc3BhY2VzL21haW4vbm90ZXMvY291bnQ=?=")
        #expect(coded.status == 200, "\(coded.body)")
        let future = try service.ask(
            "POST /mcp",
            Self.by("ada").merging(["MCP-Protocol-Version": "2027-01-01", "Mcp-Method": "tools/list"]) { $1 },
            #"{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": "2027-01-01", "io.modelcontextprotocol/clientCapabilities": {}}}}"#
        )
        #expect(try future.status == 400 && code(future) == -32_022)
        #expect(try future.json["error"]?["data"]?["supported"]?[0] == "2026-07-28")
        #expect(try ask(service, "ping").status == 404)
    }

    @Test(arguments: [
        ("{", 400, -32_700), ("[]", 400, -32_600), (#"{"id": 1, "method": "ping"}"#, 400, -32_600),
        (#"{"jsonrpc": "2.0", "id": [], "method": "ping"}"#, 400, -32_600),
        (#"{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}"#, 400, -32_602),
        (#"{"jsonrpc": "2.0", "id": 1, "method": "none"}"#, 200, -32_601),
        (#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "none"}}"#, 200, -32_602),
        (#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "x"}}"#, 200, -32_602),
        (
            #"{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "file:///etc/passwd"}}"#, 200,
            -32_002
        ),
        (
            #"{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "headwater://spaces/main/a/b c"}}"#,
            200, -32_002
        ),
    ]) func `a message that cannot be taken is told its fault`(_ body: String, _ status: Int, _ fault: Int) throws {
        let reply = try service().ask("POST /mcp", Self.by("ada"), body)
        #expect(try reply.status == status && code(reply) == .number(Decimal(fault)), "\(reply.body)")
    }

    @Test func `notifications and responses are taken without an answer`() throws {
        let service = try service()
        for body in [
            #"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#,
            #"{"jsonrpc": "2.0", "id": 1, "result": {}}"#,
        ] {
            let reply = try service.ask("POST /mcp", Self.by("ada"), body)
            #expect(reply.status == 202 && reply.body.isEmpty)
        }
        #expect(try service.ask("POST /mcp", [:], #"{"jsonrpc": "2.0", "method": "x"}"#).status == 401)
        #expect(try service.ask("GET /mcp", Self.by("ada")).status == 400)
        #expect(try service.ask("PUT /mcp", Self.by("ada"), "{}").status == 405)
    }

    // MARK: Tools

    // Law AGENT2
    @Test func `tools are the actions that a token may perform, with their schemas`() throws {
        let service = try service()
        func names(_ person: String) throws -> [String] {
            guard case .array(let tools)? = try tell(service, person, "tools/list").json["result"]?["tools"] else {
                return []
            }
            return tools.compactMap { if case .string(let name)? = $0["name"] { name } else { nil } }
        }
        #expect(try names("ada").contains("notes_add") && !names("ada").contains("headwater_put_feature"))
        #expect(try names("eva").contains("headwater_read") && !names("eva").contains("notes_add"))
        #expect(try names("root").contains("headwater_put_feature"))
        guard case .array(let tools)? = try tell(service, "ada", "tools/list").json["result"]?["tools"] else { return }
        let add = try #require(tools.first { $0["name"] == "notes_add" })
        #expect(add["inputSchema"]?["properties"]?["text"]?["maxLength"] == 20)
        #expect(add["inputSchema"]?["required"] == ["id", "text"])
        // The action has a parameter of its own of this name.
        #expect(add["inputSchema"]?["properties"]?["_space"]?["default"] == "main")
        #expect(add["inputSchema"]?["properties"]?["space"]?["default"] == "")
    }

    // Law AGENT2
    @Test func `a tool performs its action once, and a refusal is a problem that changes nothing`() throws {
        let service = try service()
        let tried = try call(
            service, "ada", "notes_add", #"{"id": "a", "text": "x", "rehearse": true, "views": ["notes.count"]}"#)
        #expect(tried["isError"] == false && tried["structuredContent"]?["views"] == ["notes.count": 1])
        #expect(try service.ask("GET /v1/spaces/main", Self.by("ada")).json["version"] == 0)
        for _ in 0..<2 {
            let done = try call(service, "ada", "notes_add", #"{"id": "a", "text": "x", "key": "k"}"#)
            #expect(done["isError"] == false && done["structuredContent"]?["version"] == 1, "\(done)")
        }
        let again = try call(service, "ada", "notes_add", #"{"id": "a", "text": "x"}"#)
        #expect(again["isError"] == true && again["structuredContent"]?["pointer"] == "/id")
        let long = try call(service, "ada", "notes/add", #"{"id": "b", "text": "123456789012345678901"}"#)
        #expect(long["isError"] == true && long["structuredContent"]?["type"] == "/problems/invalid")
        let several = try call(
            service, "ada", "headwater_perform",
            #"{"actions": [{"name": "notes/add", "input": {"id": "c", "text": "1"}}, {"name": "notes/add", "input": {"id": "c", "text": "1"}}]}"#
        )
        #expect(several["isError"] == true && several["structuredContent"]?["pointer"] == "/actions/1/input/id")
        #expect(
            try call(service, "ada", "headwater_read", #"{"view": "notes.count"}"#)["structuredContent"] == ["value": 1]
        )
        let why = try call(service, "root", "headwater_why", #"{"view": "notes.count"}"#)["structuredContent"]
        #expect(why?["variables"]?[0]?["commit"]?["by"] == ["sub": "ada"])
    }

    // Law AGENT2
    @Test func `each call has the rights, the limits and the line of the audit log of its request`() throws {
        let file = "/tmp/headwater-agents-\(getpid())-\(UInt32.random(in: .min ... .max))"
        defer { unlink(file) }
        let service = try service("--audit", file, "--rate", "1")
        let refused = try call(service, "eva", "notes_add", #"{"id": "a", "text": "x"}"#)
        #expect(refused["structuredContent"]?["status"] == 403)
        let other = try call(service, "ada", "notes_add", #"{"id": "a", "text": "x", "_space": "other"}"#)
        #expect(other["structuredContent"]?["status"] == 403)
        #expect(
            try call(service, "ada", "headwater_put_feature", #"{"feature": "notes", "document": {}}"#)[
                "structuredContent"]?["status"] == 403)
        // The clock of this service may move by more than a second while an answer is awaited.
        let actions = (0..<100).map { #"{"name": "notes/add", "input": {"id": "\#($0)", "text": "x"}}"# }
        let many = #"{"actions": [\#(actions.joined(separator: ", "))]}"#
        let statuses = try (0..<3).map { _ in
            try call(service, "ada", "headwater_perform", many)["structuredContent"]?["status"]
        }
        #expect(statuses.contains(429), "\(statuses)")
        let audit = try service.ask("GET /v1/audit", Self.by("root")).body
        #expect(audit.contains("space/actions") && audit.contains("\"ada\""), "\(audit)")
    }

    @Test(arguments: [
        (#"{"view": "notes.count", "none": 1}"#, "headwater_read"), (#"{"view": "notes"}"#, "headwater_read"),
        (#"{"view": "notes.count", "space": "a/b"}"#, "headwater_read"), (#"{"view": 1}"#, "headwater_read"),
        (#"{"actions": {}}"#, "headwater_perform"), (#"{}"#, "headwater_explain"),
        ("{\"id\": \"a\", \"text\": \"x\", \"key\": \"a b\\r\\nX: y\"}", "notes_add"),
        (#"{"id": "a", "text": "x", "rehearse": "yes"}"#, "notes_add"),
    ]) func `an argument that a tool does not take is a fault`(_ arguments: String, _ tool: String) throws {
        let reply = try tell(service(), "root", "tools/call", #"{"name": "\#(tool)", "arguments": \#(arguments)}"#)
        #expect(try code(reply) == -32_602, "\(reply.body)")
    }

    // MARK: Resources

    // Law AGENT2
    @Test func `resources are the views that a token may read`() throws {
        let service = try service()
        let listed = try tell(service, "ada", "resources/list").body
        #expect(listed.contains(Self.count))
        #expect(
            try tell(service, "ada", "resources/templates/list").body.contains("headwater://spaces/{space}/notes/count")
        )
        let read = try tell(service, "ada", "resources/read", #"{"uri": "\#(Self.count)"}"#).json["result"]
        #expect(read?["contents"]?[0]?["text"] == "0" && read?["contents"]?[0]?["mimeType"] == "application/json")
        let foreign = try tell(service, "ada", "resources/read", #"{"uri": "headwater://spaces/other/notes/count"}"#)
        #expect(try code(foreign) == -32_000 && foreign.json["error"]?["data"]?["status"] == 403)
        #expect(try code(tell(service, "ada", "resources/read", #"{"uri": "headwater://features/notes"}"#)) == -32_000)
        #expect(
            try tell(service, "root", "resources/read", #"{"uri": "headwater://features/notes"}"#).body.contains(
                "maxLength"))
    }

    // Law AGENT3
    @Test func `a stream of a request tells each change of its resources`() throws {
        let service = try service()
        let meta =
            #""_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}"#
        let body =
            #"{"jsonrpc": "2.0", "id": "s", "method": "subscriptions/listen", "params": {\#(meta), "notifications": {"toolsListChanged": true, "resourceSubscriptions": ["\#(Self.count)", "headwater://spaces/other/notes/count"]}}}"#
        let connection = try service.connect()
        connection.send(
            bytes: Array(
                ("POST /mcp HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer ada\r\nContent-Type: application/json\r\n"
                    + "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                    + body).utf8))
        func next() -> String {
            for _ in 0..<20 {
                service.settle()
                connection.receive()
                if let block = connection.takeBlock() { return block }
            }
            return ""
        }
        service.settle()
        connection.receive()
        #expect(connection.takeHead()?.contains("text/event-stream") == true)
        let first = next()
        #expect(first.hasPrefix("event: message\ndata: ") && first.contains("subscriptions/acknowledged"))
        // What the token may not read is not among what the stream honors.
        #expect(
            first.contains(Self.count) && !first.contains("spaces/other")
                && first.contains(#""io.modelcontextprotocol/subscriptionId":"s""#))
        _ = try call(service, "ada", "notes_add", #"{"id": "a", "text": "x"}"#)
        let changed = next()
        #expect(changed.contains("notifications/resources/updated") && changed.contains(Self.count))
        let other = Self.notes.replacing("size(state.notes)", with: "2 * size(state.notes)")
        #expect(try service.ask("PUT /v1/features/notes", Self.by("root"), other).status == 200)
        #expect(next().contains("notifications/tools/list_changed"))
        connection.close()
        service.settle()
        #expect(try service.ask("GET /v1/subjects", Self.by("root")).body.contains("\"ada\""))
    }

    /// Opens the stream of an agent that watches no view, so no other stream ends for it. Returns the status too.
    private func listen(_ service: ServiceInProcess, _ token: String) throws -> (ConnectionInProcess, String) {
        let meta =
            #""_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}"#
        let body =
            #"{"jsonrpc": "2.0", "id": "s", "method": "subscriptions/listen", "params": {\#(meta), "notifications": {"toolsListChanged": true}}}"#
        let connection = try service.connect()
        connection.send(
            bytes: Array(
                ("POST /mcp HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\nContent-Type: application/json\r\n"
                    + "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                    + body).utf8))
        service.settle()
        connection.receive()
        let head = try #require(connection.takeHead())
        return (connection, String(head.dropFirst(9).prefix(3)))
    }

    // Law AGENT4
    @Test func `a stream of an agent ends with its token`() throws {
        let issuer = try TokenIssuer()
        let service = try ServiceInProcess(
            arguments: ["--mcp"] + issuer.arguments("true => read, *"), documents: FeatureCompiler())
        let token = try TokenIssuer.token(TokenIssuer.claims(until: service.now + 10))
        let (connection, status) = try listen(service, token)
        service.advance(seconds: 39)
        connection.receive()
        #expect(status == "200" && !connection.isEnded)
        service.advance(seconds: 1)
        connection.receive()
        #expect(connection.isEnded)
    }

    // Law AGENT4
    @Test func `a stream of an agent takes a place among the streams of its subject`() throws {
        let service = try service()
        let streams = try (0..<11).map { _ in try listen(service, "ada") }
        for (connection, _) in streams.dropLast() { #expect(connection.takeBlock()?.contains("acknowledged") == true) }
        #expect(streams[10].0.takeAll().contains(#""status":429"#))
    }

    // Law AGENT3
    @Test func `a session belongs to its caller, and its stream follows its subscriptions`() throws {
        let service = try service()
        let begun = try tell(service, "ada", "initialize", #"{"protocolVersion": "2025-06-18", "capabilities": {}}"#)
        #expect(try begun.json["result"]?["protocolVersion"] == "2025-06-18")
        #expect(
            try tell(service, "ada", "initialize", #"{"protocolVersion": "x"}"#).json["result"]?["protocolVersion"]
                == "2025-11-25")
        let session = ["Mcp-Session-Id": try #require(begun["Mcp-Session-Id"])]
        #expect(try tell(service, "eva", "resources/subscribe", #"{"uri": "\#(Self.count)"}"#, session).status == 404)
        #expect(try tell(service, "ada", "resources/subscribe", #"{"uri": "\#(Self.count)"}"#).status == 400)
        let connection = try service.connect()
        connection.send("GET /mcp", Self.by("ada").merging(session) { $1 })
        func next() -> String {
            for _ in 0..<20 {
                service.settle()
                connection.receive()
                if let block = connection.takeBlock() { return block }
            }
            return ""
        }
        service.settle()
        connection.receive()
        #expect(connection.takeHead()?.contains("text/event-stream") == true)
        let answer = try tell(service, "ada", "resources/subscribe", #"{"uri": "\#(Self.count)"}"#, session)
        #expect(try answer.json["result"] == [:], "\(answer.body)")
        service.settle()
        _ = try call(service, "ada", "notes_add", #"{"id": "a", "text": "x"}"#)
        #expect(next().contains("notifications/resources/updated"))
        _ = try tell(service, "ada", "resources/unsubscribe", #"{"uri": "\#(Self.count)"}"#, session)
        service.settle()
        _ = try call(service, "ada", "notes_add", #"{"id": "b", "text": "x"}"#)
        #expect(next() == "")
        #expect(try service.ask("DELETE /mcp", Self.by("ada").merging(session) { $1 }).status == 204)
        _ = next()
        #expect(connection.isEnded)
        #expect(try service.ask("DELETE /mcp", Self.by("ada").merging(session) { $1 }).status == 404)
    }

    @Test func `beyond their limit the session that was used longest ago ends`() {
        let sessions = AgentSessions()
        let names = (0...AgentSessions.limit).map { _ in sessions.open(for: "ada") }
        #expect(sessions.uris(of: names[0], "ada") == nil && sessions.uris(of: names[1], "ada") == [])
        for index in 0..<AgentSessions.resourcesLimit {
            #expect(sessions.subscribe("\(index)", in: names[1], of: "ada") == true)
        }
        #expect(sessions.subscribe("more", in: names[1], of: "ada") == false)
        #expect(sessions.subscribe("0", in: names[1], of: "ada") == true)
        #expect(sessions.subscribe("0", in: names[1], of: "eva") == nil)
    }

    @Test(arguments: [
        "headwater://spaces/main/notes/count", "headwater://spaces/a.b_c/notes/one?id=a%26b&limit=1",
        "headwater://features/notes",
    ]) func `an address is read as it is written`(_ text: String) {
        #expect(AgentURI(text)?.text == text)
    }

    @Test(arguments: [
        "", "headwater://", "headwater://spaces/main", "headwater://spaces//notes/count",
        "headwater://spaces/main/notes/",
        "headwater://spaces/main/notes/count/why", "headwater://spaces/main/notes/count?a b",
        "headwater://spaces/main/notes/count?\r\nX: y", "headwater://features/a/b", "headwater://spaces/main/../v1",
    ]) func `an address that is none of the server is refused`(_ text: String) {
        #expect(AgentURI(text) == nil)
    }
}
