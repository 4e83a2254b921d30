import JSON
import ServiceInProcess
import StateStore
import Testing

/// Rules that change while streams are open, actions with rules, and personal views.
@Suite struct RuleStreamTests {
    private static let paths = [
        "/v1/spaces/main/vault/secret?events=1", "/v1/spaces/main/vault/secret?events=1&delta=json-patch",
        "/v1/spaces/main/views?view=vault.secret&events=1", "/v1/spaces/main/views?events=1",
        "/v1/live?watch=main/vault.secret&watch=other/hall.visits&events=1",
        "/v1/spaces/main/vault/secret/history?events=1", "/v1/spaces/main/streams/s/value?events=1",
        "/v1/spaces/main/streams/k/value?events=1", "/v1/spaces/main/streams/s/values",
        "/v1/spaces/main/streams/s/values?shared=1",
    ]

    private func act(
        _ service: ServiceInProcess, _ person: String, _ action: String, _ body: String = "{}"
    ) throws -> Reply {
        try service.ask("POST /v1/spaces/main/vault/\(action)", ServiceInProcess.person(person), body)
    }

    // Law ID7
    @Test(arguments: paths) func `a stream ends with an error before the frame that its reader may not see`(
        _ path: String
    ) throws {
        let service = try ServiceInProcess.withVault()
        _ = try act(service, "root", "admit", #"{"name": "bob"}"#)
        let streams = try ["ada", "bob"].map { person in
            let stream = try service.connect()
            stream.send("GET \(path)", ServiceInProcess.person(person))
            service.settle()
            stream.receive()
            #expect(stream.takeHead()?.contains(" 200") == true)
            // One who joins a shared run gets what comes from then on.
            let first = stream.takeAll()
            #expect(first.contains("SECRET") || path.contains("shared") && person == "bob")
            return stream
        }
        #expect(try act(service, "bob", "fill", #"{"text": "NEWEST", "without": "ada"}"#).status == 200)
        service.advance(seconds: 1)
        for stream in streams { stream.receive() }
        let lost = streams[0].takeAll()
        #expect(!lost.contains("NEWEST") && lost.contains("event: error") && lost.contains("\"status\":403"), "\(lost)")
        #expect(streams[0].isEnded)
        let other = streams[1].takeAll()
        #expect(other.contains("NEWEST") && !other.contains("error") && !streams[1].isEnded, "\(other)")
    }

    @Test func `a stream goes on while the answer of its rule stays the same`() throws {
        let count = RuleCount()
        let service = try ServiceInProcess.withVault(count)
        let readers = try (0..<8).map { _ in
            let stream = try service.connect()
            stream.send("GET /v1/spaces/main/vault/secret?events=1", ServiceInProcess.person("ada"))
            service.settle()
            stream.receive()
            return stream
        }
        #expect(readers.allSatisfy { $0.takeAll().contains("SECRET") })
        let asked = count.asked
        _ = try act(service, "root", "admit", #"{"name": "zoe"}"#)
        _ = try act(service, "ada", "fill", #"{"text": "NEWEST"}"#)
        for reader in readers { reader.receive() }
        #expect(readers.allSatisfy { $0.takeAll().contains("NEWEST") })
        // The rule is asked once for all readers with the same claims.
        #expect(count.asked == asked && asked < 8)
    }

    @Test func `a long poll is refused when its rule becomes false`() throws {
        let service = try ServiceInProcess.withVault()
        let ada = ServiceInProcess.person("ada")
        let tag = try service.ask("GET /v1/spaces/main/vault/secret", ada)["ETag"] ?? ""
        let poll = try service.connect()
        poll.send(
            "GET /v1/spaces/main/vault/secret", ada.merging(["If-None-Match": tag, "Prefer": "wait=60"]) { $1 })
        service.settle()
        poll.receive()
        #expect(poll.takeHead() == nil)
        _ = try act(service, "root", "admit", #"{"name": "bob"}"#)
        _ = try act(service, "bob", "fill", #"{"text": "NEWEST", "without": "ada"}"#)
        poll.receive()
        #expect(poll.takeHead()?.contains(" 403") == true && !poll.takeAll().contains("NEWEST"))
    }

    @Test func `the rule of an action is asked on the state that the action changes`() throws {
        let service = try ServiceInProcess.withVault()
        #expect(try act(service, "bob", "fill", #"{"text": "x"}"#).status == 403)
        #expect(try act(service, "root", "fill", #"{"text": "x"}"#).status == 403)
        #expect(try act(service, "ada", "fill", #"{"text": "broken"}"#).status == 403)
        #expect(try act(service, "bob", "fill", #"{"text": 1}"#).status == 422)
        _ = try act(service, "bob", "admit", #"{"name": "bob"}"#)
        let before = try service.ask("GET /v1/spaces/main", ServiceInProcess.person("bob")).json["version"]
        let reply = try act(service, "bob", "fill", #"{"text": "x"}"#)
        #expect(try reply.status == 200 && before != reply.json["version"])
        #expect(try act(service, "bob", "leave").status == 200)
        let refused = try act(service, "bob", "fill", #"{"text": "y"}"#)
        #expect(try refused.status == 403 && refused.json["type"] == "/problems/forbidden")
    }

    @Test func `a rule that depends on a parameter holds for that parameter alone`() throws {
        let service = try ServiceInProcess.withVault()
        _ = try act(service, "ada", "fill", #"{"text": "LOCKED", "id": "locked"}"#)
        let ada = ServiceInProcess.person("ada")
        #expect(try service.ask("GET /v1/spaces/main/vault/note?name=locked", ada).status == 403)
        #expect(try service.ask("GET /v1/spaces/main/vault/note?name=a", ada).body == "\"SECRET\"")
    }

    @Test func `a personal view has one value for each caller, and one instance for equal claims`() throws {
        let service = try ServiceInProcess.withVault()
        func mine(_ person: String, _ path: String = "vault/mine") throws -> Reply {
            try service.ask("GET /v1/spaces/main/\(path)", ServiceInProcess.person(person))
        }
        #expect(try mine("ada").body == "\"ada in main: true\"")
        #expect(try mine("bob").body == "\"bob in main: false\"")
        #expect(try mine("ada", "views?view=vault.mine").json == ["vault.mine": "ada in main: true"])
        #expect(try mine("bob", "views").json["vault.mine"] == "bob in main: false")
        #expect(try mine("bob", "vault/mine?at=3").body == "\"bob in main: false\"")
        #expect(try mine("ada", "vault/mine?at=0").body == "\"ada in main: false\"")
        let rows = try mine("ada", "vault/mine/history").json
        #expect(rows[0]?["value"] == "ada in main: true" && rows[1] == nil)
        #expect(
            try mine("ada", "views/diff?from=0&to=5&view=vault.mine").json["vault.mine"]?[0]?["value"]
                == "ada in main: true")
        let posted = try service.ask(
            "POST /v1/spaces/main/vault/touch?view=vault.mine", ServiceInProcess.person("bob"), "{}")
        #expect(try posted.json["views"] == ["vault.mine": "bob in main: false"])
        #expect(
            try service.ask("GET /v1/spaces/empty/vault/mine", ServiceInProcess.person("ada")).body.contains("empty"))
        let streams = try (0..<4).map { index in
            let stream = try service.connect()
            stream.send("GET /v1/spaces/main/vault/mine?events=1", ServiceInProcess.person(index < 3 ? "ada" : "bob"))
            service.settle()
            stream.receive()
            _ = stream.takeAll()
            return stream
        }
        #expect(service.instanceCount(in: "main") == 2)
        _ = try act(service, "bob", "admit", #"{"name": "bob"}"#)
        for stream in streams { stream.receive() }
        #expect(streams[3].takeAll().contains("bob in main: true") && !streams[0].takeAll().contains("data"))
        for stream in streams { stream.close() }
        service.advance(seconds: 5)
        #expect(service.instanceCount(in: "main") == 0)
    }

    // Law PARAM4
    @Test func `more than 1,000 people watch a personal view`() throws {
        let issuer = try TokenIssuer()
        let vault = Feature("vault", VaultState.init, VaultService.init) { VaultViewModel($0, RuleCount()) }
        let service = try ServiceInProcess(arguments: issuer.arguments("true => act, *"), features: [vault])
        var streams: [ConnectionInProcess] = []
        func open(_ subject: String, _ space: String = "main") throws -> String? {
            let claims = TokenIssuer.claims(until: service.now + 1_000, #""sub":"\#(subject)""#)
            let stream = try service.connect()
            stream.send(
                "GET /v1/spaces/\(space)/vault/mine?events=1",
                ["Authorization": "Bearer \(try TokenIssuer.token(claims))"])
            service.settle()
            stream.receive()
            streams.append(stream)
            return stream.takeHead()
        }
        for index in 0..<1_000 { #expect(try open("s\(index)")?.contains(" 200") == true) }
        #expect(try open("another")?.contains(" 200") == true)
        #expect(service.instanceCount(in: "main") == 1_001)
    }
}
