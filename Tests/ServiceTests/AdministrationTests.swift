import Glibc
import Ground
import JSON
import ServiceInProcess
import Testing

@testable import HeadwaterServer

/// `GET /v1/subjects`, `/v1/audit` and `/v1/limits`.
@Suite struct AdministrationTests {
    private static func line(_ secret: String, _ rest: String) -> String {
        SHA256.digest(secret.utf8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + " \(rest)"
    }

    private static let tokens = [
        line("root", "admin * subject=root"), line("ada", "act * subject=ada"), line("ada2", "read * subject=ada"),
        line("part", "admin alice-* subject=part"), line("none", "read"),
    ].joined(separator: "\n")

    private static func by(_ secret: String) -> [String: String] { ["Authorization": "Bearer \(secret)"] }

    private func rows(_ reply: Reply, _ name: String) throws -> [JSON] {
        #expect(reply.status == 200, "\(reply)")
        guard case .array(let rows)? = try reply.json[name] else { throw ServiceInProcess.NoAnswer() }
        return rows
    }

    // MARK: Rights

    @Test(arguments: ["/v1/subjects", "/v1/audit", "/v1/limits", "/v1/export", "/v1/operations"])
    func `only a token that administers all spaces reads them`(path: String) throws {
        let service = try ServiceInProcess(tokenFile: Self.tokens)
        for secret in ["ada", "none", "part"] {
            #expect(try service.ask("GET \(path)", Self.by(secret)).status == 403, "\(secret)")
        }
        #expect(try service.ask("GET \(path)").status == 401)
        let known = ["/v1/audit": 404, "/v1/export": 409][path] ?? 200
        #expect(try service.ask("GET \(path)", Self.by("root")).status == known)
        let posted = path == "/v1/operations" ? 422 : 405
        #expect(try service.ask("POST \(path)", Self.by("root"), "{}").status == posted)
        #expect(try service.ask("HEAD \(path)", Self.by("ada")).status == 403)
    }

    // MARK: Subjects

    @Test func `subjects have their tokens, actions, refusals and streams`() throws {
        let service = try ServiceInProcess(tokenFile: Self.tokens)
        for _ in 0..<2 {
            _ = try service.ask("POST /v1/spaces/main/user/logIn", Self.by("ada"), #"{"name": "Ada"}"#)
        }
        _ = try service.ask("POST /v1/spaces/main/user/logIn", Self.by("ada2"), #"{"name": "Ada"}"#)
        let streams = try (0..<3).map { _ in try service.connect() }
        for (index, stream) in streams.enumerated() {
            let path = index == 0 ? "/v1/spaces/main/changes" : "/v1/spaces/main/user/title"
            stream.send("GET \(path)?events=1", Self.by(index == 1 ? "ada2" : "ada"))
        }
        service.settle()
        let found = try rows(try service.ask("GET /v1/subjects", Self.by("root")), "subjects")
        #expect(found.map { $0["subject"] } == ["", "ada", "part", "root"])
        let ada = found[1]
        #expect(
            ada["tokens"] == 2 && ada["rights"] == ["read", "act"] && ada["classes"] == ["token"]
                && ada["expires"] == nil)
        #expect(ada["actions"] == 2 && ada["refusals"] == 1 && ada["streams"] == 3)
        #expect(
            ada["routes"] == [
                "/v1/spaces/{space}/changes": 1, "/v1/spaces/{space}/{feature}/{view}": 2,
            ])
        #expect(
            found[0]["streams"] == 0 && found[0]["tokens"] == 1
                && found[3]["rights"] == ["read", "act", "define", "metrics", "admin"])
        for stream in streams { stream.close() }
        service.settle()
        #expect(try rows(try service.ask("GET /v1/subjects?search=AD", Self.by("root")), "subjects")[0]["streams"] == 0)
    }

    @Test func `subjects come page by page, with any text as their name`() throws {
        let names = ["a&b=c", "a b", "zoë", "%41", "a+b"]
        // The file separates with spaces.
        let lines = names.map { Self.line($0, "read * subject=\($0)") } + [Self.line("root", "admin")]
        let service = try ServiceInProcess(
            tokenFile: lines.filter { !$0.contains("a b") }.joined(separator: "\n"))
        for limit in 1...6 {
            var found: [JSON] = []
            var next: String? = "/v1/subjects?limit=\(limit)"
            while let path = next, found.count < 20 {
                let reply = try service.ask("GET \(path)", Self.by("root"))
                found += try rows(reply, "subjects").compactMap { $0["subject"] }
                next = if case .string(let path)? = try reply.json["next"] { path } else { nil }
            }
            #expect(found == ["", "%41", "a&b=c", "a+b", "zoë"], "limit \(limit)")
        }
        for query in ["limit=0", "limit=1001", "limit=x", "subject=a", "after=%FF"] {
            let status = try service.ask("GET /v1/subjects?\(query)", Self.by("root")).status
            #expect(status == 422 || (query == "after=%FF" && status == 400), "\(query)")
        }
    }

    @Test func `a server without tokens has one subject without a name`() throws {
        let service = try ServiceInProcess()
        let stream = try service.connect()
        stream.send("GET /v1/spaces/main/views?events=1")
        service.settle()
        let found = try rows(try service.ask("GET /v1/subjects"), "subjects")
        #expect(found.count == 1 && found[0]["classes"] == ["open"] && found[0]["streams"] == 1)
        #expect(found[0]["routes"] == ["/v1/spaces/{space}/views": 1])
    }

    // MARK: Limits

    @Test func `limits are those of the server`() throws {
        let reply = try ServiceInProcess(tokenFile: Self.tokens, rate: 7).ask("GET /v1/limits", Self.by("root"))
        let limits = try reply.json
        #expect(limits["subject"]?["actionsPerSecond"] == 7 && limits["subject"]?["bytesPerSecond"] == .null)
        #expect(limits["messages"]?["bodyBytes"] == 1_048_576 && limits["messages"]?["jsonDepth"] == 64)
        #expect(limits["server"]?["needsToken"] == true && limits["server"]?["hasAudit"] == false)
        #expect(reply["cache-control"] == "no-store")
    }
}
