import Documents
import Ground
import Hosting
import JSON
import ServiceInProcess
import StateStore
import Testing

/// Identifiers that a client knows before its action is performed, secrets that it does not, and `GET /v1/me`.
@Suite struct KnownIDTests {
    private static let client = "CCCCCCCCCCCCCCCCCCCCCC"
    private static let document = """
        {
          "feature": "notes", "home": "space",
          "state": {
            "notes": {"table": {"key": {"type": "string"}, "row": {"type": "string"}}},
            "code": {"value": {"type": "string"}, "initial": ""}
          },
          "actions": {
            "pair": {
              "do": [{"put": "notes", "key": "newId()", "row": "'first'"}, {"put": "notes", "key": "newId()", "row": "'second'"}],
              "answer": "newId()"
            },
            "alone": {"predict": false, "do": [{"put": "notes", "key": "newId()", "row": "'x'"}], "answer": "newId()"},
            "hide": {"do": [{"set": "code", "to": "newSecret()"}], "answer": "newSecret()"}
          },
          "views": {"keys": {"from": "notes", "sort": ["row"], "select": "key"}, "code": {"expression": "state.code"}},
          "replica": {"notes": {}, "code": {}}
        }
        """

    private func service(tokenFile: String? = nil) throws -> ServiceInProcess {
        let service = try ServiceInProcess(
            tokenFile: tokenFile, startingAt: 1_800_000_000, documents: FeatureCompiler(), features: [])
        let fields = tokenFile == nil ? [:] : ServiceInProcess.person("root")
        #expect(try service.ask("PUT /v1/features/notes", fields, Self.document).status == 201)
        return service
    }

    /// The time of the client, half a second before that of the server.
    private func time(_ service: ServiceInProcess) -> Timestamp {
        Timestamp(microseconds: Int64(service.now) * 1_000_000 - 500_000)
    }

    private func act(
        _ service: ServiceInProcess, _ action: String, _ number: Int, _ fields: [String: String] = [:]
    ) throws -> Reply {
        try service.ask(
            "POST /v1/spaces/main/notes/\(action)?view=notes.keys",
            fields.merging(["Headwater-Queue": "\(Self.client);\(number)"]) { $1 }, "{}")
    }

    /// The identifier as the contract describes it, made with other means than the server's.
    private func id(_ time: Timestamp, _ subject: String, _ number: Int, _ action: String, _ index: Int) -> String {
        let text = #"["main","\#(subject)","\#(Self.client)",\#(number),"\#(action)",\#(index)]"#
        var bits: [Bool] = []
        func add(_ number: UInt64, _ count: Int) {
            for place in (0..<count).reversed() { bits.append(number >> UInt64(place) & 1 == 1) }
        }
        add(UInt64(time.microseconds), 53)
        add(UInt64(index), 11)
        for byte in SHA256.digest(text.utf8).prefix(8) { add(UInt64(byte), 8) }
        bits.insert(contentsOf: [false, false], at: 0)
        let digits = Array("0123456789abcdefghjkmnpqrstvwxyz")
        return String(
            stride(from: 0, to: bits.count, by: 5).map { start in
                digits[bits[start..<(start + 5)].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }]
            })
    }

    // Law Q4
    @Test func `the identifiers of a predicted action in a queue follow from the client's time and place`() throws {
        let service = try service()
        let time = time(service)
        let reply = try act(service, "pair", 1, ["Headwater-Time": "\(time)"])
        let expected = (0..<3).map { id(time, "", 1, "notes/pair", $0) }
        #expect(
            try reply.json["views"]?["notes.keys"] == [.string(expected[0]), .string(expected[1])], "\(reply.body)")
        #expect(try reply.json["result"] == .string(expected[2]))
        // Repeated: the same answer. The next number: others.
        #expect(try act(service, "pair", 1, ["Headwater-Time": "\(time)"]).json["result"] == .string(expected[2]))
        let next = try act(service, "pair", 2, ["Headwater-Time": "\(time)"])
        #expect(try next.json["result"] == .string(id(time, "", 2, "notes/pair", 2)))
        let keys = try service.ask("GET /v1/spaces/main/notes/keys").json
        #expect(keys[3] != nil && keys[4] == nil)
    }

    // Law Q4
    @Test func `identifiers are random without a time, without a queue, and in actions that are not predicted`() throws
    {
        let service = try service()
        let time = "\(time(service))"
        #expect(try act(service, "pair", 1).json["result"] != .string(id(self.time(service), "", 1, "notes/pair", 2)))
        let alone = try act(service, "alone", 2, ["Headwater-Time": time])
        #expect(try alone.json["result"] != .string(id(self.time(service), "", 2, "notes/alone", 1)))
        let outside = try service.ask("POST /v1/spaces/main/notes/pair", ["Headwater-Time": time], "{}")
        #expect(
            try outside.status == 200
                && outside.json["result"] != .string(id(self.time(service), "", 1, "notes/pair", 2)))
    }

    // Law Q4
    @Test func `a client cannot make the identifiers of another subject or client`() throws {
        let service = try service(tokenFile: ServiceInProcess.people)
        let time = time(service)
        let fields = ["Headwater-Time": "\(time)"]
        let ada = try act(service, "pair", 1, ServiceInProcess.person("ada").merging(fields) { $1 })
        #expect(try ada.json["result"] == .string(id(time, "ada", 1, "notes/pair", 2)), "\(ada.body)")
        let bob = try act(service, "pair", 1, ServiceInProcess.person("bob").merging(fields) { $1 })
        #expect(try bob.json["result"] == .string(id(time, "bob", 1, "notes/pair", 2)), "\(bob.body)")
    }

    @Test func `a clock that is wrong leaves the number free`() throws {
        let service = try service()
        for seconds in [7, -90_000] {
            let wrong = Timestamp(microseconds: Int64(service.now + seconds) * 1_000_000)
            let reply = try act(service, "pair", 1, ["Headwater-Time": "\(wrong)"])
            #expect(try reply.status == 422 && reply.json["type"] == "/problems/clock")
        }
        #expect(try act(service, "pair", 1, ["Headwater-Time": "\(time(service))"]).status == 200)
    }

    @Test func `secrets are random, also for a client that sends its time`() throws {
        let service = try service()
        var seen: Set<String> = []
        for number in 1...20 {
            let reply = try act(service, "hide", number, ["Headwater-Time": "\(time(service))"])
            let code = try service.ask("GET /v1/spaces/main/notes/code").json
            guard case .string(let answer)? = try reply.json["result"], case .string(let kept) = code else {
                Issue.record("\(reply.body)")
                continue
            }
            #expect(answer.utf8.count == 26 && kept.utf8.count == 26)
            #expect(seen.insert(answer).inserted && seen.insert(kept).inserted)
        }
        let client = try service.ask("GET /v1/features/notes/client").json
        #expect(client["actions"]?["hide"]?["predict"] == false && client["actions"]?["pair"]?["do"] != nil)
    }

    @Test func `a caller learns its subject, its claims and its rights`() throws {
        let open = try service()
        #expect(try open.ask("GET /v1/me").json["claims"] == ["sub": ""] && open.ask("GET /v1/me").json["sub"] == "")
        let closed = try service(tokenFile: ServiceInProcess.people)
        let ada = try closed.ask("GET /v1/me", ServiceInProcess.person("ada"))
        #expect(try ada.json["sub"] == "ada" && ada.json["claims"]?["sub"] == "ada", "\(ada.body)")
        #expect(try ada.json["rights"] == ada.json["claims"]?["rights"] && ada["Cache-Control"] == "no-store")
        #expect(try closed.ask("GET /v1/me").status == 401)
        #expect(try closed.ask("GET /v1/me?a=1", ServiceInProcess.person("ada")).status == 422)
        #expect(try closed.ask("POST /v1/me", ServiceInProcess.person("ada")).status == 405)
        #expect(try closed.ask("HEAD /v1/me", ServiceInProcess.person("ada")).status == 200)
    }
}
