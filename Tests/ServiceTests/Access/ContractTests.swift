import Ground
import JSON
import ServiceInProcess
import Testing

@testable import HeadwaterServer

/// `GET /openapi.yaml` and `GET /v1`, which describe documents to those who may read.
@Suite struct ContractTests {
    private static func digest(_ secret: String) -> String {
        SHA256.digest(secret.utf8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private static let file = ["root": "admin", "some": "read a-*", "prometheus": "metrics"].map {
        "\(digest($0)) \($1)"
    }.joined(separator: "\n")

    private static func by(_ secret: String?) -> [String: String] {
        secret.map { ["Authorization": "Bearer \($0)"] } ?? [:]
    }

    /// A document with a table whose rows have so many members, and so many views of it.
    private static func document(_ name: String, members: Int = 1, views: Int = 1) -> String {
        let properties = (0..<members).map { #""member\#($0)": {"type": "string", "maxLength": 20, "default": ""}"# }
        let all = (0..<views).map { #""view\#($0)": {"from": "rows"}"# }
        return #"""
            {"feature": "\#(name)", "home": "space", "state": {"rows": {"table": {"key": {"type": "string", "maxLength": 20},
              "row": {"type": "object", "properties": {\#(properties.joined(separator: ","))}}}}},
             "actions": {"clear": {"do": [{"clear": "rows"}]}}, "views": {\#(all.joined(separator: ","))}}
            """#
    }

    private func put(_ document: String, _ name: String, _ service: ServiceInProcess, by secret: String? = nil) throws {
        let reply = try service.ask("PUT /v1/features/\(name)", Self.by(secret), document)
        #expect(reply.status == 201, "\(reply)")
    }

    private static let path = "\"/v1/spaces/{space}/hidden/clear\":"

    @Test(arguments: [
        ("GET /openapi.yaml", "root", true), ("GET /openapi.yaml", "some", true),
        ("GET /openapi.yaml?access_token=some", nil, true), ("GET /openapi.yaml", nil, false),
        ("GET /openapi.yaml", "unknown", false), ("GET /openapi.yaml", "prometheus", false),
        ("GET /openapi.yaml?access_token=prometheus", nil, false),
    ])
    func `the contract shows documents to tokens that may read a space`(
        _ line: String, _ secret: String?, _ isWhole: Bool
    ) throws {
        let service = try ServiceInProcess(tokenFile: Self.file)
        try put(Self.document("hidden"), "hidden", service, by: "root")
        let reply = try service.ask(line, Self.by(secret))
        #expect(reply.status == 200 && reply.body.contains(Self.path) == isWhole)
        #expect(reply.body.contains("x-left-out: \"The paths of documents") == !isWhole)
        #expect(
            reply.body.contains("/v1/spaces/{space}/user/logIn") && reply["Vary"]?.contains("Authorization") == true)
        // The client that has one contract does not keep it after it gets another token.
        let tag = try #require(reply["ETag"])
        #expect(try service.ask(line, Self.by(secret).merging(["If-None-Match": tag]) { $1 }).status == 304)
        let other = Self.by(isWhole ? nil : "root").merging(["If-None-Match": tag]) { $1 }
        #expect(try service.ask("GET /openapi.yaml", other).status == 200)
        let head = try service.ask("HEAD" + line.dropFirst(3), Self.by(secret))
        #expect(head.status == 200 && head["ETag"] == tag && head.body.isEmpty)
    }

    @Test(arguments: ["", "GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"])
    func `a client without a token cannot find out the names of features`(_ method: String) throws {
        let service = try ServiceInProcess(tokenFile: Self.file)
        try put(Self.document("hidden"), "hidden", service, by: "root")
        let names = ["hidden/clear", "hidden/view0", "hidden/nothing", "other/clear", "user/title"]
        for secret in [nil, "unknown", "prometheus"] {
            for end in ["", "/why", "/history"] {
                let replies = try names.map { name -> String in
                    let line = "\(method.isEmpty ? "OPTIONS" : method) /v1/spaces/main/\(name)\(end)"
                    let preflight = ["Access-Control-Request-Method": "POST", "Origin": "http://localhost"]
                    let fields = method.isEmpty ? preflight : Self.by(secret)
                    var reply = try service.ask(line, fields)
                    reply.fields["x-request-id"] = nil
                    return "\(reply.status) \(reply.fields.sorted { $0.key < $1.key }) \(reply.body)"
                }
                #expect(Set(replies).count == 1, "\(end) \(replies)")
            }
        }
    }

    @Test func `a server without tokens shows all to everybody`() throws {
        let service = try ServiceInProcess()
        let before = try service.ask("GET /openapi.yaml")
        try put(Self.document("hidden"), "hidden", service)
        let after = try service.ask("GET /openapi.yaml")
        #expect(
            !before.body.contains("hidden") && after.body.contains(Self.path) && !after.body.contains("  x-left-out:"))
        #expect(try service.ask("GET /v1").body.contains("hidden") && before["Vary"]?.contains("Authorization") != true)
    }

    @Test(arguments: [(nil, 401), ("prometheus", 403), ("some", 200)])
    func `the index needs a token that may read a space`(_ secret: String?, _ status: Int) throws {
        #expect(try ServiceInProcess(tokenFile: Self.file).ask("GET /v1", Self.by(secret)).status == status)
    }

    @Test func `a description has a limit in bytes, beyond which it leaves out documents and says so`() throws {
        let service = try ServiceInProcess()
        for (name, document) in [
            ("a", Self.document("a")), ("b", Self.document("b", members: 400, views: 250)), ("c", Self.document("c")),
        ] { try put(document, name, service) }
        let contract = try service.ask("GET /openapi.yaml").body
        #expect(contract.utf8.count <= ServedFeatures.bytesLimit)
        #expect(contract.contains("x-left-out: \"The paths of 2 documents are left out"))
        #expect(
            contract.contains("/{space}/a/clear") && !contract.contains("/b/view") && !contract.contains("/c/clear"))
        #expect(contract.contains("/v1/spaces/{space}/user/logIn") && contract.contains("components:"))
        let index = try service.ask("GET /v1")
        guard case .array(let features)? = try index.json["features"] else { throw ServiceInProcess.NoAnswer() }
        #expect(index.body.utf8.count <= ServedFeatures.bytesLimit + 8_192)
        #expect(features.filter { $0["isLeftOut"] == true }.map { $0["name"] } == ["b", "c"])
        #expect(features.allSatisfy { $0["actions"] != nil && $0["views"] != nil })
    }

    @Test func `requests that wait for one description are answered together, also by a later one`() throws {
        let service = try ServiceInProcess()
        let connections = try (0..<3).map { _ in try service.connect() }
        connections[0].send("GET /openapi.yaml")
        connections[1].send("GET /openapi.yaml")
        connections[2].send("GET /v1")
        service.settle()
        for connection in connections {
            connection.receive()
            #expect(connection.takeHead()?.contains(" 200 ") == true)
        }
        try put(Self.document("hidden"), "hidden", service)
        #expect(try service.ask("GET /openapi.yaml").body.contains(Self.path))
    }
}
