import Ground
import JSON
import ServiceInProcess
import StateStore
import Testing

@testable import HeadwaterServer

/// The subject of a request: in commits, in idempotency keys and in limits.
@Suite struct SubjectTests {
    private let issuer: TokenIssuer

    init() throws {
        issuer = try TokenIssuer()
    }

    private func digest(_ text: String) -> String {
        SHA256.digest(text.utf8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Tokens named `a`, `b` (both of ada), `c` (of carl), `d` (of nobody) and `e` (of eve).
    private var file: String {
        "\(digest("a")) act,define * subject=ada\n\(digest("b")) act,define subject=ada\n\(digest("c")) act,define subject=carl\n\(digest("d")) admin\n"
            + "\(digest("e")) admin subject=eve"
    }

    private func bearer(_ token: String, _ more: [String: String] = [:]) -> [String: String] {
        ["Authorization": "Bearer \(token)"].merging(more) { $1 }
    }

    private func save(
        _ service: ServiceInProcess, _ name: String, _ token: String, _ more: [String: String] = [:]
    ) throws -> Reply {
        try service.ask("POST /v1/spaces/main/user/save", bearer(token, more), "{\"name\": \"\(name)\"}")
    }

    @Test func `each commit has the subject of its caller`() throws {
        let service = try ServiceInProcess(tokenFile: file, arguments: issuer.arguments("true => act, *"))
        let token = try TokenIssuer.token(TokenIssuer.claims(until: service.now + 60, "\"sub\":\"zoë\""))
        for (name, token) in [("1", "a"), ("2", "c"), ("3", "d"), ("4", token)] {
            #expect(try save(service, name, token).status == 200)
        }
        let put = try service.ask(
            "PUT /v1/spaces/main/streams/s", bearer("b"), #"{"name": "s", "stream": [{"value": 1}]}"#)
        #expect(put.status == 200, "\(put)")
        let live = try service.ask(
            "PUT /v1/spaces/main/streams/l", bearer("c"), #"{"name": "l", "source": {"view": "user.title"}}"#)
        #expect(live.status == 200, "\(live)")
        #expect(try service.ask("DELETE /v1/spaces/main/streams/l", bearer("a")).status == 200)
        let restored = try service.ask("POST /v1/spaces/main/restore", bearer("e"), #"{"version": 1}"#)
        #expect(restored.status == 200, "\(restored)")
        guard case .array(let rows) = try service.ask("GET /v1/spaces/main/changes?since=0", bearer("a")).json else {
            throw ServiceInProcess.NoAnswer()
        }
        #expect(rows.map { $0["by"]?["sub"] } == ["ada", "carl", "", "zoë", "ada", "carl", "ada", "eve"])
    }

    // Law ID4
    @Test func `an idempotency key is its subject's own`() throws {
        let service = try ServiceInProcess(tokenFile: file)
        let key = ["Idempotency-Key": "k"]
        #expect(try save(service, "1", "a", key)["Idempotency-Replayed"] == nil)
        // Another token of the same subject repeats, also with another body.
        #expect(try save(service, "1", "b", key)["Idempotency-Replayed"] == "true")
        #expect(try save(service, "2", "b", key).status == 422)
        for token in ["c", "d"] {
            #expect(try save(service, "of \(token)", token, key)["Idempotency-Replayed"] == nil)
            #expect(try save(service, "of \(token)", token, key)["Idempotency-Replayed"] == "true")
        }
    }

    @Test func `a key without a subject is stored as it was before`() throws {
        let account = Account(Token(digest: [], rights: .act))
        #expect(account.keySuffix.isEmpty)
        let ada = Account(Token(digest: [], subject: "ada", rights: .act))
        // No key of a client has a space, so no key of one subject is that of another.
        #expect(ada.keySuffix.first == " " && ada.keySuffix.utf8.count == 23)
        #expect(Account(Token(digest: [1], subject: "ada", rights: .read)).keySuffix == ada.keySuffix)
    }

    @Test func `all tokens of a subject share its rate, and others have their own`() throws {
        let service = try ServiceInProcess(
            tokenFile: file, rate: 2, arguments: issuer.arguments("true => act, *"))
        let token = try TokenIssuer.token(TokenIssuer.claims(until: service.now + 60, "\"sub\":\"ada\""))
        #expect(try save(service, "1", "a").status == 200 && save(service, "2", "b").status == 200)
        for other in ["a", "b", token] {
            let refused = try save(service, "3", other)
            #expect(
                refused.status == 429 && refused["Retry-After"] == "1" && refused["RateLimit"] == "\"actions\";r=0;t=1")
        }
        #expect(try save(service, "4", "c").status == 200 && save(service, "5", "d").status == 200)
        let metrics = try service.ask("GET /metrics", bearer("d")).body
        #expect(metrics.contains("headwater_limited_total{limit=\"actions\",class=\"token\"} 2"))
        #expect(metrics.contains("headwater_limited_total{limit=\"actions\",class=\"jwt\"} 1"))
        #expect(!metrics.contains("ada") && !metrics.contains("carl"))
    }

    @Test func `the bytes of bodies have a rate of their own`() throws {
        let service = try ServiceInProcess(tokenFile: file, arguments: ["--byte-rate", "40"])
        let long = String(repeating: "x", count: 60)
        // A body that is larger than the rate passes once, and what follows waits for it.
        #expect(try save(service, long, "a").status == 200)
        let refused = try save(service, "2", "b")
        #expect(refused.status == 429 && refused["RateLimit-Policy"] == "\"bytes\";q=40;w=1")
        #expect(try save(service, "3", "c").status == 200)
        service.advance(seconds: 2)
        #expect(try save(service, "4", "b").status == 200)
    }

    @Test func `streams and trials are counted for the subject`() throws {
        let use = SubjectUse()
        #expect(use.openStream(limit: 2) && use.openStream(limit: 2) && !use.openStream(limit: 2))
        use.closeStream()
        #expect(use.openStream(limit: 2))
        let service = try ServiceInProcess(tokenFile: file)
        let connections = try (0..<10).map { index in
            let connection = try service.connect()
            let token = index.isMultiple(of: 2) ? "a" : "b"
            connection.send("GET /v1/spaces/main/user/title?events=1&access_token=\(token)")
            return connection
        }
        service.settle()
        let refused = try service.ask("GET /v1/spaces/main/user/title?events=1", bearer("a"))
        #expect(refused.status == 429 && refused["RateLimit-Policy"] == "\"streams\";q=10")
        #expect(try service.ask("GET /v1/spaces/main/user/title?events=1", bearer("c")).status == 200)
        withExtendedLifetime(connections) {}
    }

    @Test(arguments: [
        "subject=ada", "read subject=", "read a b", "read * subject=a subject=b", "read subject=a b c",
    ])
    func `a line with a faulty subject is refused`(_ rest: String) throws {
        #expect(throws: CommandFault.self) { try TokenFile.parse("\(digest("a")) \(rest)") }
    }

    @Test func `a line may have spaces and a subject, each or none`() throws {
        let lines = ["read", "read a-*", "read subject=ada", "read a-* subject=ada", "read subject=ada a-*"]
        let tokens = try TokenFile.parse(lines.map { "\(digest("a")) \($0)" }.joined(separator: "\n"))
        #expect(tokens.map(\.subject) == ["", "", "ada", "ada", "ada"])
        #expect(tokens.map(\.coversAll) == [true, false, true, false, false])
    }
}
