import JSON
import ServiceInProcess
import StateStore
import Testing

@testable import HeadwaterServer

/// `--grant`: which rights claims give.
@Suite struct GrantTests {
    private let issuer: TokenIssuer

    init() throws {
        issuer = try TokenIssuer()
    }

    private func token(_ service: ServiceInProcess, _ claims: String) throws -> [String: String] {
        let token = try TokenIssuer.token(TokenIssuer.claims(until: service.now + 600, claims))
        return ["Authorization": "Bearer \(token)"]
    }

    @Test func `all true grants add up, each for its spaces`() throws {
        let service = try ServiceInProcess(
            arguments: issuer.arguments(
                "true => read, shared docs-*", "'editor' in token.roles => act, docs-*",
                "token.roles.exists(r, r == 'root') => admin, *", "token.missing.deep == 1 => admin, *",
                "token.sub => admin, *"))
        let read = "GET /v1/spaces/docs-1/user/title"
        func act(_ space: String, _ fields: [String: String]) throws -> Int {
            try service.ask("POST /v1/spaces/\(space)/user/logIn", fields, #"{"name": "Ada"}"#).status
        }
        let reader = try token(service, "\"sub\":\"r\",\"roles\":[]")
        let editor = try token(service, "\"sub\":\"e\",\"roles\":[\"editor\"]")
        let root = try token(service, "\"sub\":\"a\",\"roles\":[\"root\"]")
        #expect(try service.ask(read, reader).status == 200 && act("docs-1", reader) == 403)
        #expect(try act("docs-1", editor) == 200 && act("shared", editor) == 403 && act("main", editor) == 403)
        #expect(try service.ask("GET /v1/spaces/shared/user/title", editor).status == 200)
        #expect(try service.ask("GET /v1/spaces/main/user/title", editor).status == 403)
        #expect(try act("main", root) == 200 && service.ask("GET /v1/spaces", root).status == 200)
        #expect(try service.ask("GET /v1/spaces", editor).status == 403)
        #expect(try service.ask("GET /v1/live?watch=main/user.title&events=1", editor).status == 403)
    }

    @Test func `without a true grant every path that needs a token is 403`() throws {
        let service = try ServiceInProcess(arguments: issuer.arguments("token.sub == 'ada' => read, *"))
        let eve = try token(service, "\"sub\":\"eve\"")
        for line in [
            "GET /v1", "GET /v1/spaces/main/user/title", "GET /v1/nothing", "GET /metrics", "POST /v1/tickets",
            "GET /v1/live?watch=main/user.title",
        ] {
            #expect(try service.ask(line, eve).status == 403, "\(line)")
        }
        #expect(try service.ask("GET /healthz", eve).status == 200)
    }

    @Test func `an administrator of some spaces lists those, whatever else it may read`() throws {
        let service = try ServiceInProcess(
            arguments: issuer.arguments("true => read, *", "true => admin, a-*", "token.sub == 'root' => admin, *"))
        let root = try token(service, "\"sub\":\"root\"")
        for space in ["a-1", "b-1"] {
            let reply = try service.ask("POST /v1/spaces/\(space)/user/logIn", root, #"{"name": "Ada"}"#)
            #expect(reply.status == 200)
        }
        let list = try service.ask("GET /v1/spaces", try token(service, "\"sub\":\"ada\"")).body
        #expect(list.contains("a-1") && !list.contains("b-1"))
        let feed = try service.ask("GET /v1/changes", try token(service, "\"sub\":\"ada\"")).body
        #expect(feed.contains("a-1") && !feed.contains("b-1"))
    }

    @Test(arguments: [
        "", "true", "true =>", "true => read", "true => read,", "true => write, *", "=> read, *", "true -> read, *",
        "tokn.sub == 'a' => read, *", "token.sub == => read, *", "true => read, a,b", "true => read, a*b*c*d*e*f",
        "true => read, ä", "true => read *", "row.x => read, *",
    ])
    func `a grant that cannot be read is refused`(_ text: String) {
        #expect(throws: CommandFault.self) { try Grant(text) }
    }

    @Test func `a grant is split at the last arrow`() throws {
        let grant = try Grant("token.note == 'a => b, c' => act ,  alice-* shared ")
        #expect(grant.holds(for: ["note": "a => b, c"]) && !grant.holds(for: ["note": "a"]))
        #expect(grant.permission.rights == .act && grant.permission.patterns.count == 2)
    }

    @Test func `a grant may give several rights`() throws {
        let grant = try Grant("true => act ,define,  docs-* shared")
        #expect(grant.permission.rights == [.act, .define] && grant.permission.patterns.count == 2)
    }

    @Test func `the environment has one grant per line`() throws {
        let lines = "token.a == 1 => read, a, b"
        #expect(throws: CommandFault.self) {
            try Arguments(Program { _ in [] }).settings([], ["HEADWATER_GRANT": lines])
        }
        let grants = try Arguments(Program { _ in [] }).settings(
            [], ["HEADWATER_GRANT": "[1, 2].exists(x, x == token.a) => read, a b\n\ntrue => act, c\n"]
        ).identity.grants
        #expect(grants.count == 2 && grants[0].holds(for: ["a": 2]))
    }
}
