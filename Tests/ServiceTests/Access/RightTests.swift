import Ground
import JSON
import ServiceInProcess
import Testing

@testable import HeadwaterServer

/// The rights that requests need.
@Suite struct RightTests {
    /// The tokens of the table, by their secrets, with their rights.
    private static let rights = [
        "read": "read", "act": "act", "define": "define", "both": "act,define", "metrics": "metrics",
        "admin": "admin",
    ]

    private static var file: String {
        rights.map { "\(digest($0)) \($1)" }.joined(separator: "\n")
    }

    private static func digest(_ secret: String) -> String {
        SHA256.digest(secret.utf8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private static let ofServer: Set = ["GET /v1/limits", "POST /v1/spaces/main/rules:test"]
    private static let all = ["read", "act", "define", "both", "admin"]
    private static let defining = ["define", "both", "admin"]

    /// Requests with their bodies, the tokens that may send them, and the right that a refusal names.
    // Law ID10
    @Test(arguments: [
        ("GET /v1", "", all, "read"), ("GET /v1/spaces/main/user/title", "", all, "read"),
        ("GET /v1/spaces/main/streams", "", all, "read"), ("GET /v1/spaces/main/streams/a", "", all, "read"),
        ("GET /v1/spaces/main/changes", "", all, "read"), ("GET /v1/spaces/main/graph", "", all, "read"),
        ("POST /v1/spaces/main/streams:test", #"{"definition": {"stream": []}}"#, all, "read"),
        ("POST /v1/spaces/main/rules:test", #"{"view": "user.title"}"#, ["admin"], "admin"),
        ("POST /v1/spaces/main/user/logIn", #"{"name": "Ada"}"#, ["act", "both", "admin"], "act"),
        ("PUT /v1/spaces/main/streams/x", #"{"stream": [{"value": 1}]}"#, defining, "define"),
        ("DELETE /v1/spaces/main/streams/zip", "", defining, "define"),
        ("POST /v1/spaces/main/streams/put", #"{"id": "y", "stream": []}"#, defining, "define"),
        ("POST /v1/spaces/main/streams/remove", #"{"id": "merge"}"#, defining, "define"),
        ("PUT /v1/spaces/main/streams/x", #"{"begin": 0, "stream": []}"#, ["admin"], "define"),
        ("GET /v1/spaces/main/hooks", "", defining, "define"), ("GET /v1/spaces/main/hooks/h", "", defining, "define"),
        ("PUT /v1/spaces/main/hooks/h", "{}", defining, "define"),
        ("DELETE /v1/spaces/main/hooks/h", "", defining, "define"),
        ("POST /v1/spaces/main/restore", #"{"version": 0}"#, ["admin"], "admin"),
        ("DELETE /v1/spaces/main", "", ["admin"], "admin"), ("GET /v1/spaces", "", ["admin"], "admin"),
        ("GET /v1/features/user", "", ["admin"], "admin"), ("GET /v1/limits", "", ["admin"], "admin"),
        ("GET /metrics", "", ["metrics", "admin"], "metrics"), ("HEAD /metrics", "", ["metrics", "admin"], ""),
    ])
    func `a request needs its right, and a refusal names it`(
        _ line: String, _ body: String, _ permitted: [String], _ right: String
    ) throws {
        let service = try ServiceInProcess(tokenFile: Self.file)
        for token in Self.rights.keys.sorted() {
            let reply = try service.ask(line, ["Authorization": "Bearer \(token)"], body)
            #expect((reply.status != 403) == permitted.contains(token), "\(token): \(reply)")
            guard reply.status == 403, !right.isEmpty else { continue }
            // A right that is enough for the path alone, and not for the body, is followed by the next.
            let named = permitted == ["admin"] && Self.defining.contains(token) ? "admin" : right
            let missing = token == "metrics" && !Self.ofServer.contains(line) ? "read" : named
            #expect(reply.body.contains("needs the right \(missing)"), "\(token): \(reply)")
        }
        #expect(try service.ask(line, [:], body).status == 401)
        #expect(![401, 403].contains(try ServiceInProcess().ask(line, [:], body).status))
    }

    @Test(arguments: [
        ("metrics", 200), ("metrics,read", 200), ("admin", 200), ("metrics a-*", 403), ("admin a-*", 403),
        ("act,define", 403),
    ])
    func `metrics need a right for all spaces`(_ rights: String, _ status: Int) throws {
        let service = try ServiceInProcess(tokenFile: "\(Self.digest("prometheus")) \(rights)")
        let fields = ["Authorization": "Bearer prometheus"]
        for method in ["GET", "HEAD"] {
            let reply = try service.ask("\(method) /metrics", fields)
            #expect(
                reply.status == status && (status == 200) == (reply["Content-Type"]?.hasPrefix("text/plain") == true))
            #expect(try service.ask("\(method) /metrics").status == 401)
        }
    }

    // Law ID10
    @Test func `a grant of a right to define does not give a right to act`() throws {
        let issuer = try TokenIssuer()
        let service = try ServiceInProcess(
            arguments: issuer.arguments("token.sub == 'eve' => define, *", "token.sub == 'ada' => act, define, *"))
        for (subject, status) in [("eve", 403), ("ada", 200)] {
            let token = try TokenIssuer.token(TokenIssuer.claims(until: service.now + 600, "\"sub\":\"\(subject)\""))
            let fields = ["Authorization": "Bearer \(token)"]
            let put = try service.ask("PUT /v1/spaces/main/streams/x", fields, #"{"stream": [{"value": 1}]}"#)
            #expect(put.status == 200, "\(put)")
            let acted = try service.ask("POST /v1/spaces/main/user/logIn", fields, #"{"name": "Ada"}"#)
            #expect(acted.status == status, "\(acted)")
        }
    }

    @Test func `the index names the right of each action`() throws {
        guard case .array(let features)? = try ServiceInProcess().ask("GET /v1").json["features"] else {
            throw ServiceInProcess.NoAnswer()
        }
        for (name, right) in [("user", "act"), ("streams", "define"), ("catalog", "admin")] {
            let feature = try #require(features.first { $0["name"] == .string(name) })
            guard case .array(let actions)? = feature["actions"] else { throw ServiceInProcess.NoAnswer() }
            #expect(!actions.isEmpty && actions.allSatisfy { $0["right"] == .string(right) }, "\(name)")
        }
    }
}
