import Hosting
import Documents
import Glibc
import JSON
import ServiceInProcess
import Testing

@testable import HeadwaterServer

/// `--audit`: one line for each action, refusal and ticket.
@Suite struct AuditTests {
    private let folder: TokenIssuer
    /// The token `secret`, for `alice-*`.
    private static let file =
        "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b act alice-* subject=alice"
    private static let bearer = ["Authorization": "Bearer secret", "X-Request-Id": "r-1"]

    init() throws {
        folder = try TokenIssuer()
    }

    private func lines(_ path: String) throws -> [JSON] {
        try TextFile.read(path).split(separator: "\n").map { try JSON(parsing: Array($0.utf8)) }
    }

    // Law ID5
    @Test func `each action, refusal and ticket has a line, without token, ticket and input`() throws {
        let path = try folder.write("audit", "")
        let service = try ServiceInProcess(tokenFile: Self.file, arguments: ["--audit", path])
        let logIn = "POST /v1/spaces/alice-1/user/logIn"
        _ = try service.ask(logIn, Self.bearer, #"{"name": "Private"}"#)
        _ = try service.ask(logIn, Self.bearer, #"{"nam": "Private"}"#)
        let made = try service.ask("POST /v1/tickets", Self.bearer, "{}")
        _ = try service.ask("GET /v1/spaces/alice-1/user/title?ticket=wrong-ticket&_x=hidden")
        _ = try service.ask("GET /v1/spaces/bob/user/title", Self.bearer)
        _ = try service.ask("GET /v1/spaces/alice-1/user/title", Self.bearer)
        let lines = try lines(path)
        #expect(lines.map { $0["event"] } == ["action", "action", "ticket", "refusal", "refusal"])
        #expect(lines.map { $0["by"]?["sub"] } == ["alice", "alice", "alice", "", "alice"])
        #expect(lines.map { $0["space"] } == ["alice-1", "alice-1", nil, "alice-1", "bob"])
        #expect(lines.map { $0["outcome"] } == ["ok", "refused", nil, nil, nil])
        #expect(lines.map { $0["status"] } == [nil, 422, nil, 401, 403])
        guard lines.count == 5 else { return }
        #expect(lines[0]["action"] == "user/logIn" && lines[0]["version"] == 1 && lines[0]["request"] == "r-1")
        #expect(lines[4]["path"] == "/v1/spaces/{space}/{feature}/{view}" && lines[4]["problem"] == "forbidden")
        let text = try TextFile.read(path)
        guard case .string(let ticket)? = try made.json["ticket"] else { throw ServiceInProcess.NoAnswer() }
        for word in ["secret", "Private", "hidden", "wrong-ticket", ticket] { #expect(!text.contains(word), "\(word)") }
    }

    @Test func `with --audit-input lines have the inputs of actions`() throws {
        let path = try folder.write("audit", "")
        let service = try ServiceInProcess(arguments: ["--audit", path, "--audit-input"])
        _ = try service.ask("POST /v1/spaces/main/user/logIn", [:], #"{"name": "Ada"}"#)
        _ = try service.ask("POST /v1/spaces/main/user/logIn", [:], #"{"name""#)
        let lines = try lines(path)
        #expect(lines.map { $0["input"] } == [["name": "Ada"], .null] && lines[1]["outcome"] == "refused")
    }

    // Law PRIV1
    @Test func `an input that does not match a schema with private members is withheld`() throws {
        let path = try folder.write("audit", "")
        let service = try ServiceInProcess(
            arguments: ["--audit", path, "--audit-input"], documents: FeatureCompiler(), features: [])
        let document = #"""
            {"feature": "safe", "home": "space", "state": {"n": {"value": {"type": "integer"}, "initial": 0}},
             "actions": {"lock": {"input": {"type": "object", "properties": {"code": {"type": "string", "private": true},
               "name": {"type": "string"}}, "required": ["code"]}, "do": [{"set": "n", "to": "state.n + 1"}]}},
             "views": {"n": {"expression": "state.n"}}}
            """#
        #expect(try service.ask("PUT /v1/features/safe", [:], document).status == 201)
        for body in [#"{"code": "SECRET", "name": "a"}"#, #"{"coed": "SECRET"}"#, #"["SECRET"]"#] {
            _ = try service.ask("POST /v1/spaces/main/safe/lock", [:], body)
        }
        #expect(try !TextFile.read(path).contains("SECRET"))
        let inputs = try lines(path).filter { $0["action"] == "safe/lock" }.map { $0["input"] }
        #expect(inputs.first == ["code": .null, "name": "a"] && inputs.contains(.null), "\(inputs)")
    }

    @Test func `a file that was renamed is opened anew`() throws {
        let path = try folder.write("audit", "")
        let log = Log(.error, .text)
        let audit = try AuditLog(path, hasInputs: false, log)
        let event = AuditEvent(kind: .ticket, at: .now, by: "ada", account: .jwt, request: "1")
        audit.write(event)
        rename(path, "\(path).1")
        audit.write(event)
        audit.reopen()
        audit.write(event)
        #expect(try lines("\(path).1").count == 2 && lines(path).count == 1 && audit.lostCount == 0)
        unlink("\(path).1")
    }

    @Test func `a full disk loses lines, which are counted, and writing goes on`() throws {
        let audit = try AuditLog("/dev/full", hasInputs: false, Log(.error, .json))
        let event = AuditEvent(kind: .ticket, at: .now, by: "ada", account: .jwt, request: "1")
        for _ in 0..<3 { audit.write(event) }
        #expect(audit.lostCount == 3)
        let service = try ServiceInProcess(arguments: ["--audit", "/dev/full"])
        #expect(try service.ask("POST /v1/spaces/main/user/logIn", [:], #"{"name": "Ada"}"#).status == 200)
        #expect(try service.ask("GET /metrics").body.contains("headwater_audit_lost_total 1\n"))
    }

    // Law H3
    @Test func `refusals without a subject have 100 lines a second, and the next one says how many are missing`() throws
    {
        let path = try folder.write("audit", "")
        let service = try ServiceInProcess(tokenFile: Self.file, arguments: ["--audit", path])
        for _ in 0..<250 { _ = try service.ask("GET /v1/spaces/alice-1/user/title") }
        #expect(try lines(path).count == 100)
        _ = try service.ask("GET /v1/spaces/bob/user/title", Self.bearer)
        service.advance(seconds: 1)
        _ = try service.ask("GET /v1/spaces/alice-1/user/title")
        #expect(try lines(path).suffix(2).map { $0["omitted"] } == [nil, 150])
    }

    @Test func `a file that cannot be written is refused at the start`() throws {
        #expect(throws: CommandFault.self) { try AuditLog.check("/nonexistent/audit") }
    }
}
