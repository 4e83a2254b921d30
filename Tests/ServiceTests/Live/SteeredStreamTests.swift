import Hosting
import Documents
import JSON
import ServiceInProcess
import StateStore
import Testing

/// `POST /v1/live`: streams that their clients steer.
@Suite struct SteeredStreamTests {
    static let board = """
        {
          "feature": "board", "home": "space",
          "types": {"Card": {"type": "object", "properties": {"text": {"type": "string"}}}},
          "state": {
            "topic": {"value": {"type": "string"}, "initial": "none"},
            "note": {"value": {"type": "integer"}, "initial": 0},
            "cards": {"table": {"key": {"type": "string"}, "row": {"$ref": "#/types/Card"}}},
            "here": {
              "table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {"x": {"type": "integer", "default": 0}}}},
              "kept": false, "presence": true, "grace": 0
            }
          },
          "actions": {
            "rename": {
              "input": {"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]},
              "do": [{"set": "topic", "to": "input.topic"}]
            },
            "jot": {"do": [{"set": "note", "to": "state.note + 1"}]},
            "add": {
              "input": {
                "type": "object", "properties": {"id": {"type": "string"}, "text": {"type": "string"}},
                "required": ["id", "text"]
              },
              "require": [{"that": "!(input.id in state.cards)", "else": {"detail": "there is a card {input.id}"}}],
              "do": [{"put": "cards", "key": "input.id", "row": "{'text': input.text}"}],
              "answer": "'card ' + input.id"
            },
            "drop": {
              "input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
              "do": [{"remove": "cards", "key": "input.id"}]
            }
          },
          "views": {
            "topic": {"expression": "state.topic"},
            "cards": {"from": "cards", "sort": ["key"], "select": "{'id': key, 'text': row.text}"},
            "count": {"expression": "size(state.cards)"},
            "mine": {"expression": "state.topic", "allow": "state.topic != 'secret'"},
            "inverse": {"expression": "100 / size(state.cards)"},
            "here": {"from": "here", "select": "key"}
          }
        }
        """

    static func service(
        tokenFile: String? = nil, directory: String? = nil, arguments: [String] = [], startingAt time: Int64 = 0,
        largeBytes: Int? = nil
    ) throws -> ServiceInProcess {
        let service = try ServiceInProcess(
            tokenFile: tokenFile, directory: directory, startingAt: time, arguments: arguments,
            documents: FeatureCompiler(), features: [], largeBytes: largeBytes)
        let fields = tokenFile == nil ? [:] : ServiceInProcess.person("root")
        let reply = try service.ask("PUT /v1/features/board", fields, board)
        #expect([200, 201, 204].contains(reply.status), "\(reply.body)")
        return service
    }

    static func act(
        _ service: ServiceInProcess, _ action: String, _ body: String = "", space: String = "main",
        _ fields: [String: String] = [:]
    ) throws -> Reply {
        try service.ask("POST /v1/spaces/\(space)/board/\(action)", fields, body)
    }

    private func value(_ service: ServiceInProcess, _ name: String) throws -> Reply {
        let parts = name.split(separator: "/")
        return try service.ask("GET /v1/spaces/\(parts[0])/\(parts[1].replacing(".", with: "/"))")
    }

    // Law STEER1
    @Test func `the first event has all values, with the tags that a GET has, and the versions`() throws {
        let service = try Self.service()
        _ = try Self.act(service, "rename", #"{"topic": "a"}"#)
        let client = try SteeredClient(
            service,
            #"{"watch": {"main/board.topic": null, "b/board.count": null}, "client": "AAAAAAAAAAAAAAAAAAAAAA"}"#)
        #expect(client.status == 200 && client.stream.utf8.count >= 22 && client.events.count == 1)
        #expect(client.shown == ["main/board.topic": "a", "b/board.count": 0])
        #expect(client.versions == ["main": "1.1", "b": "0.1"] && client.queue == ["main": 0, "b": 0])
        for (name, tag) in client.tags { #expect(try value(service, name)["etag"] == "\"\(tag)\"") }
        _ = try Self.act(service, "add", #"{"id": "x", "text": "t"}"#)
        #expect(client.read().isEmpty, "nothing watched has changed, and progress is not wanted")
        _ = try Self.act(service, "rename", #"{"topic": "b"}"#)
        #expect(client.read().count == 1 && client.shown["main/board.topic"] == "b" && client.versions["main"] == "3.1")
    }

    // Law STEER2
    @Test func `a client that returns gets nothing for what it has, patches where there is a base, else values`() throws
    {
        let service = try Self.service()
        for number in 0..<40 {
            _ = try Self.act(service, "add", #"{"id": "\#(number)", "text": "a text of some length"}"#)
        }
        let watch = #"{"watch": {"main/board.topic": TOPIC, "main/board.cards": CARDS}, "delta": "json-patch"}"#
        func open(_ topic: String, _ cards: String) throws -> SteeredClient {
            try SteeredClient(service, watch.replacing("TOPIC", with: topic).replacing("CARDS", with: cards))
        }
        let first = try open("null", "null")
        let (topic, cards) = (
            "\"\(first.tags["main/board.topic"] ?? "")\"", "\"\(first.tags["main/board.cards"] ?? "")\""
        )
        first.close()
        let again = try open(topic, cards)
        // There is always an event with the versions.
        #expect(again.events == [["_versions": ["main": "40.1"], "_queue": [:]]])
        again.close()
        _ = try Self.act(service, "add", #"{"id": "zz", "text": "new"}"#)
        service.advance(seconds: 30)
        let third = try open(topic, cards)
        let patch: JSON = [["op": "add", "path": "/40", "value": ["id": "zz", "text": "new"]]]
        #expect(third.events.count == 1 && third.events.first?["_patches"]?["main/board.cards"] == patch)
        #expect(third.events.first?["main/board.topic"] == nil)
        third.close()
        // A tag that nobody has given, and one of a former life.
        let unknown = try open(topic, "\"1.1-\(String(repeating: "A", count: 33))\"")
        #expect(unknown.events.first?["_reset"] == ["main"] && unknown.shown["main/board.cards"] != nil)
        let strange = try open(topic, "\"strange\"")
        #expect(strange.events.first?["_reset"] == nil && strange.shown["main/board.cards"] != nil)
    }

    // Law STEER3
    @Test func `a stream with a tag beyond its space waits three seconds, and is then 503`() throws {
        let service = try Self.service()
        let tag = try value(service, "main/board.topic")["etag"]?.dropFirst().dropLast() ?? ""
        let later = "9.1" + tag.drop { $0 != "-" }
        let client = try SteeredClient(service, #"{"watch": {"main/board.topic": "\#(later)"}}"#)
        #expect(client.status == 0)
        service.advance(seconds: 2)
        client.read()
        #expect(client.status == 0)
        service.advance(seconds: 2)
        client.read()
        #expect(client.status == 503)
        let waiting = try SteeredClient(service, #"{"watch": {"main/board.topic": "\#(later)"}}"#)
        for number in 1...9 { _ = try Self.act(service, "rename", #"{"topic": "\#(number)"}"#) }
        service.advance(seconds: 1)
        waiting.read()
        #expect(waiting.status == 200 && waiting.shown["main/board.topic"] == "9")
    }

    // Law STEER4
    @Test func `a view that is unknown, forbidden or has failed is gone alone, and comes when it is back`() throws {
        let service = try Self.service()
        let names = ["board.topic", "board.mine", "board.inverse", "later.x", "streams.s", "nothing"].map {
            "main/\($0)"
        }
        let watch = names.map { "\"\($0)\": null" }.joined(separator: ", ")
        let client = try SteeredClient(service, "{\"watch\": {\(watch), \"strange\": null}}")
        #expect(client.shown == ["main/board.topic": "none", "main/board.mine": "none"])
        func status(_ name: String) -> JSON? { client.gone[name]?["status"] }
        #expect(status("main/board.inverse") == 500 && status("main/later.x") == 404 && status("strange") == 422)
        #expect(status("main/nothing") == 404 || status("main/nothing") == 422)
        _ = try Self.act(service, "rename", #"{"topic": "secret"}"#)
        client.read()
        #expect(status("main/board.mine") == 403 && client.shown == ["main/board.topic": "secret"])
        _ = try Self.act(service, "rename", #"{"topic": "open"}"#)
        _ = try Self.act(service, "add", #"{"id": "a", "text": ""}"#)
        client.read()
        #expect(client.shown["main/board.mine"] == "open" && client.shown["main/board.inverse"] == 100)
        let later = SteeredStreamTests.board.replacing("\"feature\": \"board\"", with: "\"feature\": \"later\"")
            .replacing("\"views\": {", with: "\"views\": {\"x\": {\"expression\": \"7\"},")
        #expect(try service.ask("PUT /v1/features/later", [:], later).status == 201)
        let definition = #"{"source": {"view": "board.topic"}}"#
        #expect(try service.ask("PUT /v1/spaces/main/streams/s", [:], definition).status < 300)
        service.advance(seconds: 2)
        client.read()
        #expect(client.shown["main/later.x"] == 7 && client.shown["main/streams.s"] == "open", "\(client.gone)")
        #expect(try service.ask("DELETE /v1/features/later?state=drop").status < 300)
        client.read()
        #expect(client.shown["main/later.x"] == nil && status("main/later.x") == 404)
        #expect(client.shown["main/board.topic"] == "open" && !client.isEnded)
    }

    // Law STEER5
    @Test func `changes are applied in the order of their numbers, once, and a refused one uses none`() throws {
        let service = try Self.service()
        let client = try SteeredClient(service, #"{"watch": {"main/board.topic": null}}"#)
        let path = "POST /v1/live/\(client.stream)"
        #expect(
            try client.steer(#""watch": {"main/board.count": null, "main/board.topic": null}"#).json == ["watching": 2])
        #expect(client.read() == [client.events.last] && client.events.last?["main/board.topic"] == nil)
        #expect(client.shown["main/board.count"] == 0)
        #expect(try service.ask(path, [:], #"{"seq": 1, "unwatch": ["main/board.topic"]}"#).json == ["watching": 2])
        let many = (0..<1_000).map { "\"main/board.v\($0)\": null" }.joined(separator: ", ")
        let refused = try service.ask(path, [:], "{\"seq\": 2, \"watch\": {\(many)}}")
        #expect(refused.status == 422)
        #expect(try service.ask(path, [:], #"{"seq": 0}"#).status == 422)
        #expect(try service.ask(path, [:], #"{"seq": 2, "watch": [1]}"#).status == 422)
        #expect(try service.ask(path, [:], #"{"seq": 4}"#).status == 409)
        // Two and three together: three waits for two.
        let three = try service.connect()
        let body = #"{"seq": 3, "watch": {"main/board.cards": null}}"#
        three.send(
            bytes: Array(
                "\(path) HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                    .utf8))
        service.settle()
        #expect(try service.ask(path, [:], #"{"seq": 2, "unwatch": ["main/board.topic"]}"#).json == ["watching": 1])
        service.settle()
        three.receive()
        #expect(three.takeAll().contains(#"{"watching":2}"#))
        client.read()
        #expect(client.shown["main/board.cards"] == [])
        _ = try Self.act(service, "rename", #"{"topic": "unseen"}"#)
        #expect(client.read().isEmpty)
        #expect(try service.ask("POST /v1/live/\(client.stream)x", [:], #"{"seq": 4}"#).status == 404)
        client.close()
        let ended = try service.ask(path, [:], #"{"seq": 4}"#)
        #expect(try ended.status == 404 && ended.json["type"] == "/problems/no-stream")
    }

    // Law STEER6
    @Test func `progress tells the client's own commits at once, and those of others within a second`() throws {
        let service = try Self.service()
        let name = "BBBBBBBBBBBBBBBBBBBBBB"
        let client = try SteeredClient(
            service, #"{"watch": {"main/board.topic": null}, "client": "\#(name)", "progress": true}"#)
        #expect(try Self.act(service, "jot", "", ["Headwater-Queue": "\(name);1"]).status == 200)
        #expect(client.read() == [["_versions": ["main": "1.1"], "_queue": ["main": 1]]])
        #expect(try Self.act(service, "jot").status == 200)
        #expect(client.read().isEmpty)
        service.advance(seconds: 1)
        #expect(client.read() == [["_versions": ["main": "2.1"], "_queue": ["main": 1]]])
        service.advance(seconds: 5)
        #expect(client.read().isEmpty)
        let topic = #"{"topic": "z"}"#
        #expect(try Self.act(service, "rename", topic, ["Headwater-Queue": "\(name);2"]).status == 200)
        #expect(client.read().count == 1 && client.queue["main"] == 2 && client.shown["main/board.topic"] == "z")
    }

    // Law U3
    @Test func `a row of presence is there from the first event on, and goes with null or with the stream`() throws {
        let service = try Self.service()
        let here =
            #"{"watch": {"main/board.here": null}, "presence": {"main/board.here": {"as": "ada", "with": {"x": 1}}}}"#
        let client = try SteeredClient(service, here)
        #expect(client.shown["main/board.here"] == ["ada"])
        #expect(try client.steer(#""presence": {"main/board.here": null}"#).status == 200)
        service.advance(seconds: 1)
        client.read()
        #expect(client.shown["main/board.here"] == [])
        #expect(try client.steer(#""presence": {"main/board.here": {"as": "eva"}}"#).status == 200)
        service.advance(seconds: 1)
        client.read()
        #expect(client.shown["main/board.here"] == ["eva"])
        client.close()
        service.advance(seconds: 1)
        #expect(try value(service, "main/board.here").json == [])
        for wrong in [#"{"main/board.cards": {"as": "a"}}"#, #"{"main/board.here": {}}"#, #"{"x": {"as": "a"}}"#] {
            #expect(try SteeredClient(service, "{\"presence\": \(wrong)}").status == 422)
        }
    }

    @Test(arguments: [
        ("{\"watch\": []}", 422), ("{\"watch\": {\"a\": 1}}", 422), ("{\"client\": \"short\"}", 422),
        ("{\"delta\": \"merge\"}", 422), ("{\"progress\": 1}", 422), ("{\"nothing\": 1}", 422), ("[]", 422),
        ("{", 400), ("{\"watch\": {}}", 200), ("{}", 200),
    ])
    func `a body is checked`(_ body: String, _ status: Int) throws {
        #expect(try SteeredClient(Self.service(), body).status == status)
    }

    // Law STEER1
    @Test func `a request that opens no stream is told why`() throws {
        let service = try Self.service()
        let events = ["Accept": "text/event-stream"]
        func status(_ body: String, _ fields: [String: String]) throws -> Int {
            let reply = try service.ask("POST /v1/live", fields, body)
            #expect(reply["content-type"] == "application/problem+json", "\(reply.body)")
            return reply.status
        }
        #expect(try status("{}", [:]) == 406)
        #expect(try status("{}", ["Accept": "application/json"]) == 406)
        #expect(try status("{}", events.merging(["Content-Type": "text/plain"]) { $1 }) == 415)
        // As many views as there may be, and one more; as many bytes, and more.
        func watched(_ count: Int, _ length: Int = 1) -> String {
            let views = (0..<count).map { "\"main/board.topic?x=\($0)\(String(repeating: "x", count: length))\": null" }
            return "{\"watch\": {\(views.joined(separator: ", "))}}"
        }
        #expect(try SteeredClient(service, watched(1_000)).status == 200)
        #expect(try status(watched(1_001), events) == 422)
        #expect(try status(watched(1_000, 1_100), events) == 413)
        #expect(try service.ask("POST /v1/spaces/main/board/jot").status == 200, "nothing of it is left")
    }

    @Test func `a deleted space comes anew, with a reset`() throws {
        let service = try Self.service()
        _ = try Self.act(service, "rename", #"{"topic": "old"}"#)
        let client = try SteeredClient(service, #"{"watch": {"main/board.topic": null, "main/board.count": null}}"#)
        #expect(try service.ask("DELETE /v1/spaces/main").status == 204)
        client.read()
        #expect(client.shown == ["main/board.topic": "none", "main/board.count": 0])
        #expect(client.events.last?["_reset"] == ["main"] && client.versions["main"] == "0.1")
    }

    // Laws CALM5 and STEER1
    @Test func `a stream goes on when a space that it watches moves to the loop of large ones`() throws {
        let service = try Self.service(largeBytes: 20_000)
        let client = try SteeredClient(
            service, #"{"watch": {"main/board.topic": null, "main/board.count": null, "b/board.topic": null}}"#)
        let plain = try service.connect()
        plain.send("GET /v1/spaces/main/board/count", ["Accept": "text/event-stream"])
        let tag = try #require(try service.ask("GET /v1/spaces/main/board/topic")["etag"])
        let poll = try service.connect()
        poll.send("GET /v1/spaces/main/board/topic", ["If-None-Match": tag, "Prefer": "wait=60"])
        service.settle()
        let text = String(repeating: "t", count: 4_000)
        var count = 0
        while service.largeCount == 0, count < 40 {
            count += 1
            _ = try Self.act(service, "add", #"{"id": "c\#(count)", "text": "\#(text)"}"#)
            client.read()
        }
        #expect(service.largeCount == 1 && count > 1)
        for connection in [plain, poll] { connection.receive() }
        #expect(plain.isEnded && poll.takeHead()?.contains(" 304 ") == true)
        _ = try Self.act(service, "add", #"{"id": "last", "text": "x"}"#)
        _ = try Self.act(service, "rename", #"{"topic": "new"}"#)
        _ = try Self.act(service, "rename", #"{"topic": "other"}"#, space: "b")
        client.read()
        #expect(!client.isEnded && client.gone.isEmpty && !client.hasGoneBack)
        #expect(
            client.shown == [
                "main/board.topic": "new", "main/board.count": .number(Decimal(count + 1)), "b/board.topic": "other",
            ])
    }

    // Law STEER7
    @Test func `only a token of the same subject and claims steers a stream, and a later one prolongs it`() throws {
        let issuer = try TokenIssuer()
        let service = try ServiceInProcess(
            arguments: issuer.arguments("true => admin, *"), documents: FeatureCompiler(), features: [])
        func bearer(_ seconds: Int, _ more: String = "") throws -> [String: String] {
            let claims = TokenIssuer.claims(until: service.now + seconds, more)
            return ["Authorization": "Bearer \(try TokenIssuer.token(claims))"]
        }
        let long = try bearer(100_000)
        #expect(try service.ask("PUT /v1/features/board", long, Self.board).status < 300)
        let client = try SteeredClient(service, #"{"watch": {"main/board.topic": null}}"#, try bearer(10))
        #expect(client.status == 200)
        #expect(try client.steer(#""watch": {}"#, try bearer(10, #""sub": "another""#)).status == 403)
        #expect(try client.steer(#""watch": {}"#, try bearer(10, #""role": "other""#)).status == 403)
        #expect(try service.ask("POST /v1/live/\(client.stream)", [:], "{\"seq\": 1}").status == 401)
        let prolonged = try service.ask(
            "POST /v1/live/\(client.stream)", try bearer(60, #""jti": "2", "iat": 1"#), "{\"seq\": 1}")
        #expect(prolonged.status == 200)
        service.advance(seconds: 45)
        client.read()
        #expect(!client.isEnded)
        service.advance(seconds: 50)
        client.read()
        #expect(client.isEnded)
        #expect(try service.ask("POST /v1/live/\(client.stream)", long, "{\"seq\": 2}").status == 404)
    }

    // Law STEER1
    @Test(arguments: 1...12) func `whatever clients steer and lose, they show in the end what a GET shows`(
        _ seed: Int
    ) throws {
        var entropy = Entropy(seed: UInt64(seed))
        // In every other run spaces move to the loop of large ones.
        let service = try Self.service(largeBytes: seed % 2 == 0 ? 1 : nil)
        let names = ["main", "b"].flatMap { space in
            ["topic", "cards", "count", "mine", "inverse", "here", "none"].map { "\(space)/board.\($0)" }
        }
        var clients: [SteeredClient?] = [nil, nil, nil]
        var known: [[String: String]] = [[:], [:], [:]]
        var values: [[String: JSON]] = [[:], [:], [:]]
        var watched: [Set<String>] = [[], [], []]
        for _ in 0..<60 {
            let index = entropy.below(clients.count)
            switch entropy.below(8) {
            case 0, 1:
                guard clients[index] == nil else { continue }
                let wanted = names.filter { _ in entropy.isOne(in: 2) }
                let watch = wanted.map { "\"\($0)\": \(known[index][$0].map { "\"\($0)\"" } ?? "null")" }
                let delta = entropy.isOne(in: 3) ? "" : ", \"delta\": \"json-patch\""
                let client = try SteeredClient(service, "{\"watch\": {\(watch.joined(separator: ", "))}\(delta)}")
                client.keep(values[index], known[index], only: Set(wanted))
                client.replay()
                #expect(client.status == 200)
                (clients[index], watched[index]) = (client, Set(wanted))
            case 2:
                guard let client = clients[index] else { continue }
                client.read()
                (values[index], known[index]) = (client.shown, client.tags.filter { client.shown[$0.key] != nil })
                client.close()
                clients[index] = nil
            case 3:
                guard let client = clients[index] else { continue }
                let name = entropy.one(of: names)
                let change =
                    watched[index].contains(name) ? "\"unwatch\": [\"\(name)\"]" : "\"watch\": {\"\(name)\": null}"
                watched[index].formSymmetricDifference([name])
                #expect(try client.steer(change).json == ["watching": .number(Decimal(watched[index].count))])
                if !watched[index].contains(name) { client.forget(name) }
            case 4: service.advance(seconds: 1 + entropy.below(3))
            case 5 where entropy.isOne(in: 8): _ = try service.ask("DELETE /v1/spaces/b")
            default:
                let space = entropy.isOne(in: 2) ? "main" : "b"
                switch entropy.below(4) {
                case 0:
                    let topic = entropy.one(of: ["a", "b", "secret"])
                    _ = try Self.act(service, "rename", #"{"topic": "\#(topic)"}"#, space: space)
                case 1: _ = try Self.act(service, "jot", space: space)
                case 2: _ = try Self.act(service, "drop", #"{"id": "\#(entropy.below(9))"}"#, space: space)
                default:
                    _ = try Self.act(
                        service, "add", #"{"id": "\#(entropy.below(9))", "text": "some text"}"#, space: space)
                }
            }
            if entropy.isOne(in: 2) { for client in clients { client?.read() } }
        }
        service.advance(seconds: 3)
        for (index, client) in clients.enumerated() {
            guard let client else { continue }
            client.read()
            for name in watched[index] {
                let reply = try value(service, name)
                if reply.status == 200 {
                    #expect(try client.shown[name] == reply.json, "seed \(seed): \(name)")
                    #expect(
                        client.tags[name]?.drop { $0 != "-" }
                            == reply["etag"]?.dropFirst().dropLast().drop { $0 != "-" })
                } else {
                    #expect(client.gone[name]?["status"] == .number(Decimal(reply.status)), "seed \(seed): \(name)")
                }
            }
            #expect(!client.hasGoneBack, "seed \(seed)")
        }
    }
}
