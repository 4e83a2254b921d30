import JSON
import ServiceInProcess
import Testing

@testable import HeadwaterServer

/// The rule of a view holds on every way to its value.
@Suite struct RuleWaysTests {
    /// A request that shows the value of a view with a rule, or something that has it.
    struct Way: Sendable, CustomStringConvertible {
        let path: String
        let request: String
        var body = ""
        var fields: [String: String] = [:]
        /// The answer to a caller whom the rule does not allow; 200 where the value is left out.
        var forbidden = 403
        var description: String { request }

        init(
            _ path: String, _ request: String, _ body: String = "", _ fields: [String: String] = [:],
            forbidden: Int = 403
        ) {
            (self.path, self.request, self.body, self.fields) = (path, request, body, fields)
            self.forbidden = forbidden
        }
    }

    private static let space = "/v1/spaces/main"
    private static let events = ["Accept": "text/event-stream"]

    static let ways = [
        Way("/v1/spaces/{space}/{feature}/{view}", "GET \(space)/vault/secret"),
        Way("/v1/spaces/{space}/{feature}/{view}", "GET \(space)/vault/note?name=a"),
        Way("/v1/spaces/{space}/{feature}/{view}", "GET \(space)/vault/secret", "", ["If-None-Match": "\"1-x\""]),
        Way("/v1/spaces/{space}/{feature}/{view}", "GET \(space)/vault/secret", "", events),
        Way("/v1/spaces/{space}/{feature}/{view}", "GET \(space)/vault/secret?events=1&delta=json-patch"),
        Way("/v1/spaces/{space}/{feature}/{view}", "GET \(space)/vault/secret?since=x&wait=5"),
        Way("/v1/spaces/{space}/{feature}/{view}", "GET \(space)/vault/secret?at=5"),
        Way("/v1/spaces/{space}/{feature}/{view}/window", "GET \(space)/vault/lines/window"),
        Way("/v1/spaces/{space}/views", "GET \(space)/views", forbidden: 200),
        Way("/v1/spaces/{space}/views", "GET \(space)/views?events=1", forbidden: 200),
        Way("/v1/spaces/{space}/views", "GET \(space)/views?view=vault.secret&view=vault.hall"),
        Way("/v1/spaces/{space}/views", "GET \(space)/views?view=vault.secret&events=1"),
        Way("/v1/spaces/{space}/views", "GET \(space)/views?view=vault.note%3Fname%3Da"),
        Way("/v1/spaces/{space}/views", "GET \(space)/views?view=streams.s"),
        Way("/v1/spaces/{space}/views", "GET \(space)/views?view=vault.secret&at=5"),
        Way("/v1/spaces/{space}/views", "GET \(space)/views?at=5", forbidden: 200),
        Way("/v1/spaces/{space}/{feature}/{action}", "POST \(space)/hall/visit?view=vault.secret", "{}"),
        Way("/v1/spaces/{space}/{feature}/{action}", "POST \(space)/hall/visit?view=vault.note%3Fname%3Da", "{}"),
        Way("/v1/spaces/{space}/{feature}/{action}", "POST \(space)/hall/visit?view=streams.s", "{}"),
        Way(
            "/v1/spaces/{space}/actions", "POST \(space)/actions?view=vault.secret",
            #"{"actions": [{"name": "hall/visit", "input": {}}]}"#),
        Way("/v1/live", "GET /v1/live?watch=main/vault.secret&watch=other/vault.hall", "", events),
        Way("/v1/live", "GET /v1/live?watch=main/vault.hall&watch=main/streams.s", "", events),
        Way("/v1/spaces/{space}/{feature}/{view}/history", "GET \(space)/vault/secret/history"),
        Way("/v1/spaces/{space}/{feature}/{view}/history", "GET \(space)/vault/secret/history", "", events),
        Way("/v1/spaces/{space}/{feature}/{view}/history", "GET \(space)/vault/note/history?name=a"),
        Way("/v1/spaces/{space}/views/diff", "GET \(space)/views/diff?from=3&to=5&view=vault.secret"),
        Way("/v1/spaces/{space}/views/diff", "GET \(space)/views/diff?from=3&to=5", forbidden: 200),
        Way("/v1/spaces/{space}/streams/{id}/value", "GET \(space)/streams/s/value"),
        Way("/v1/spaces/{space}/streams/{id}/value", "GET \(space)/streams/k/value"),
        Way("/v1/spaces/{space}/streams/{id}/value", "GET \(space)/streams/s/value?events=1"),
        Way("/v1/spaces/{space}/streams/{id}/values", "GET \(space)/streams/s/values"),
        Way("/v1/spaces/{space}/streams/{id}/values", "GET \(space)/streams/s/values?shared=1"),
        Way("/v1/spaces/{space}/streams/{id}/history", "GET \(space)/streams/k/history"),
        Way(
            "/mcp", "POST /mcp",
            message("tools/call", #""name": "headwater_read", "arguments": {"view": "vault.secret"}"#), forbidden: 200),
        Way(
            "/mcp", "POST /mcp", message("resources/read", #""uri": "headwater://spaces/main/vault/secret""#),
            forbidden: 200),
        Way(
            "/mcp", "POST /mcp",
            message("tools/call", #""name": "headwater_history", "arguments": {"view": "vault.secret"}"#),
            forbidden: 200),
    ]

    private static func message(_ method: String, _ params: String) -> String {
        #"{"jsonrpc": "2.0", "id": 1, "method": "\#(method)", "params": {\#(params)}}"#
    }

    /// The paths that show no value of a view, or none to a caller without the right `admin`.
    static let others: Set<String> = [
        "/", "/openapi.yaml", "/healthz", "/readyz", "/metrics", "/v1", "/v1/spaces", "/v1/spaces/{space}",
        "/client.js", "/client.d.ts", "/v1/tickets", "/v1/spaces/{space}/streams", "/v1/spaces/{space}/streams/{id}",
        "/v1/spaces/{space}/streams:test", "/v1/changes", "/v1/spaces/{space}/changes", "/v1/spaces/{space}/graph",
        "/v1/spaces/{space}/{feature}/{view}/why", "/v1/spaces/{space}/streams/{id}/why",
        "/v1/spaces/{space}/restore", "/v1/subjects", "/v1/audit", "/v1/limits", "/v1/features",
        "/v1/features/{feature}", "/v1/features:test",
        "/v1/features:replay", "/v1/features/{feature}/problems", "/v1/features/{feature}/plan",
        "/v1/spaces/{space}/hooks",
        "/v1/spaces/{space}/hooks/{id}", "/v1/spaces/{space}/erase", "/v1/features/{feature}/migration",
        "/schemas/feature.json", "/v1/spaces/{space}/administration/edit", "/v1/requests/{id}/why",
        "/v1/live/{stream}", "/offline.js", "/site.json", "/v1/features/{feature}/client", "/mirror.js",
        "/v1/features/{feature}/hooks", "/v1/features/{feature}/rehearsals/{id}",
        "/v1/usage", "/v1/spaces/{space}/usage", "/v1/export", "/v1/operations",
        "/v1/operations/{id}", "/v1/operations/{id}/lines",
        "/v1/me", "/v1/spaces/{space}/rules:test",
    ]

    // Law ID6
    @Test(arguments: ways) func `a member gets the value, and nobody else does`(_ way: Way) throws {
        let service = try ServiceInProcess.withVault()
        func ask(_ person: String) throws -> Reply {
            try service.ask(way.request, ServiceInProcess.person(person).merging(way.fields) { $1 }, way.body)
        }
        let allowed = try ask("ada")
        #expect(allowed.status == 200 && allowed.body.contains("SECRET"), "\(allowed.status) \(allowed.body)")
        // The right `admin` does not lift the rule of a view.
        for person in way.request.hasPrefix("POST") ? ["bob", "root"] : ["bob", "eve", "root"] {
            let reply = try ask(person)
            #expect(reply.status == way.forbidden && !reply.body.contains("SECRET"), "\(person): \(reply.body)")
            #expect(!reply.body.contains("FIRST"), "\(person): \(reply.body)")
            if way.forbidden == 403 { #expect(try reply.json["type"] == "/problems/forbidden") }
        }
        let again = try ask("ada")
        #expect(again.status == 200 && again.body.contains("SECRET"))
    }

    @Test func `every path is among those that the rules of views are tested for`() {
        let tested = Set(Self.ways.map(\.path))
        for path in HandTurnedService.paths {
            #expect(tested.contains(path) || Self.others.contains(path), "\(path) shows values to whom?")
        }
    }

    @Test func `an action with a forbidden view is not performed`() throws {
        let service = try ServiceInProcess.withVault()
        let request = "POST /v1/spaces/main/hall/visit?view=hall.visits&view=vault.secret"
        #expect(try service.ask(request, ServiceInProcess.person("bob"), "{}").status == 403)
        let visits = try service.ask("GET /v1/spaces/main/hall/visits", ServiceInProcess.person("bob"))
        #expect(visits.body == "0")
        // A caller who leaves in the action does not get the view of what follows.
        let left = try service.ask(
            "POST /v1/spaces/main/vault/leave?view=vault.secret&view=vault.hall", ServiceInProcess.person("ada"), "{}")
        #expect(try left.status == 200 && left.json["views"] == ["vault.hall": 0])
    }

    @Test(arguments: ["changes", "changes?events=1", "changes?since=0&wait=1"])
    func `changes of a feature with rules show nothing without the right admin`(_ path: String) throws {
        let service = try ServiceInProcess.withVault()
        _ = try service.ask("POST /v1/spaces/main/hall/visit", ServiceInProcess.person("bob"), "{}")
        let request = "GET /v1/spaces/main/\(path)"
        for person in ["ada", "bob", "eve"] {
            let body = try service.ask(request, ServiceInProcess.person(person)).body
            #expect(!body.contains("SECRET") && !body.contains("members"), "\(body)")
            #expect(body.contains(#""action":"vault/fill"}"#) && body.contains(#"{"hall.visits":1}"#))
        }
        #expect(try service.ask(request, ServiceInProcess.person("root")).body.contains("SECRET"))
    }

    @Test func `why and graph of a feature with rules show nothing without the right admin`() throws {
        let service = try ServiceInProcess.withVault()
        for (view, status) in [("secret", 403), ("hall", 200)] {
            let reply = try service.ask("GET /v1/spaces/main/vault/\(view)/why", ServiceInProcess.person("bob"))
            #expect(reply.status == status && !reply.body.contains("root") && !reply.body.contains("input"))
        }
        let own = try service.ask("GET /v1/spaces/main/vault/secret/why", ServiceInProcess.person("ada"))
        #expect(own.status == 200 && own.body.contains("vault/fill") && !own.body.contains("SECRET"))
        // The right `admin` shows commits, not the value of the view.
        let root = try service.ask("GET /v1/spaces/main/vault/hall/why", ServiceInProcess.person("root"))
        #expect(root.body.contains(#""input""#))
        #expect(try service.ask("GET /v1/spaces/main/vault/secret/why", ServiceInProcess.person("root")).status == 403)
        let graph = try service.ask("GET /v1/spaces/main/graph", ServiceInProcess.person("bob"))
        #expect(graph.status == 200 && !graph.body.contains("vault") && graph.body.contains("hall.visits"))
        #expect(try service.ask("GET /v1/spaces/main/graph", ServiceInProcess.person("root")).body.contains("vault"))
    }

    @Test(arguments: [
        "vault.secret%21%7B%22space%22%3A%22main%22%2C%22token%22%3A%7B%22sub%22%3A%22ada%22%7D%7D",
        "vault.mine%23%7B%22space%22%3A%22main%22%2C%22token%22%3A%7B%22sub%22%3A%22ada%22%7D%7D",
    ])
    func `a client cannot name the view of another caller`(_ name: String) throws {
        let service = try ServiceInProcess.withVault()
        let bob = ServiceInProcess.person("bob")
        for request in [
            "GET /v1/spaces/main/views?view=\(name)", "GET /v1/spaces/main/\(name.replacing(".", with: "/"))",
            "GET /v1/live?events=1&watch=main/\(name)", "GET /v1/spaces/main/views?at=1&view=\(name)",
            "GET /v1/spaces/main/\(name.replacing(".", with: "/"))/history",
            "GET /v1/spaces/main/views/diff?from=1&to=2&view=\(name)",
        ] {
            let reply = try service.ask(request, bob)
            #expect(reply.status == 404 && !reply.body.contains("true"), "\(request): \(reply.body)")
        }
        let post = try service.ask("POST /v1/spaces/main/hall/visit?view=\(name)", bob, "{}")
        #expect(post.status == 404)
        let document = #"{"name": "x", "source": {"view": "vault.mine"}, "operators": []}"#
        #expect(try service.ask("PUT /v1/spaces/main/streams/x", bob, document).status == 422)
    }

    @Test(arguments: [
        #"vault.secret#{\"space\":\"main\",\"token\":{}}"#,
        #"vault.secret!{\"space\":\"main\",\"token\":{\"sub\":\"ada\"}}"#,
        #"vault.mine#{\"space\":\"main\",\"token\":{\"sub\":\"ada\"}}"#,
    ])
    func `a stream cannot derive from the view of another caller`(_ name: String) throws {
        let service = try ServiceInProcess.withVault()
        let bob = ServiceInProcess.person("bob")
        let document = #"{"name": "x", "source": {"view": "\#(name)"}, "operators": []}"#
        let put = try service.ask("PUT /v1/spaces/main/streams/x", bob, document)
        #expect(put.status == 422, "\(put.body)")
        let trial = try service.ask("POST /v1/spaces/main/streams:test", bob, #"{"definition": \#(document)}"#)
        #expect(trial.status == 422, "\(trial.body)")
        for path in ["value", "values"] {
            let reply = try service.ask("GET /v1/spaces/main/streams/x/\(path)", bob)
            #expect(reply.status == 404 && !reply.body.contains("SECRET") && !reply.body.contains("true"))
        }
    }
}
