import Documents
import Glibc
import JSON
import ServiceInProcess
import StateStore
import Testing

/// Actions in a queue: `Headwater-Queue`, `Headwater-Time` and `Headwater-Document`.
@Suite struct ActionQueueTests {
    private static let client = "CCCCCCCCCCCCCCCCCCCCCC"

    private func act(
        _ service: ServiceInProcess, _ queue: String, _ action: String, _ body: String = "",
        _ fields: [String: String] = [:]
    ) throws -> Reply {
        try SteeredStreamTests.act(
            service, action, body, fields.merging(["Headwater-Queue": "\(Self.client);\(queue)"]) { $1 })
    }

    private func directory() throws -> String {
        var template = Array("/tmp/headwater-queue-XXXXXX".utf8CString)
        return String(cString: try #require(mkdtemp(&template)))
    }

    private func shuffled(_ numbers: [Int], _ entropy: inout Entropy) -> [Int] {
        var (rest, shuffled): ([Int], [Int]) = (numbers, [])
        while !rest.isEmpty { shuffled.append(rest.remove(at: entropy.below(rest.count))) }
        return shuffled
    }

    private static func card(_ id: String) -> String { #"{"id": "\#(id)", "text": "t"}"# }

    // Law Q1
    @Test func `a number is performed once, and its answer repeated`() throws {
        let service = try SteeredStreamTests.service()
        let first = try act(service, "1", "add", Self.card("a"))
        #expect(try first.status == 200 && first.json["result"] == "card a" && first["idempotency-replayed"] == nil)
        let again = try act(service, "1;0", "add", Self.card("a"))
        #expect(again.body == first.body && again["idempotency-replayed"] == "true" && again["etag"] == first["etag"])
        #expect(try act(service, "1", "add", Self.card("b")).status == 422)
        #expect(try act(service, "1", "jot").status == 422)
        // A refusal uses its number, and is repeated.
        let refused = try act(service, "2", "add", Self.card("a"))
        #expect(try refused.status == 409 && refused.json["detail"] == "there is a card a")
        _ = try SteeredStreamTests.act(service, "drop", #"{"id": "a"}"#)
        let refusedAgain = try act(service, "2", "add", Self.card("a"))
        #expect(refusedAgain.body == refused.body && refusedAgain["idempotency-replayed"] == "true")
        // An action without changes uses its number, too.
        let plain = try ServiceInProcess()
        _ = try plain.ask("POST /v1/spaces/main/user/logIn", [:], #"{"name": "Ada"}"#)
        _ = try plain.ask("POST /v1/spaces/main/user/logOut", [:], "{}")
        for isAgain in [false, true] {
            let reply = try plain.ask(
                "POST /v1/spaces/main/user/logOut", ["Headwater-Queue": "\(Self.client);1"], "{}")
            #expect(try reply.json["changed"] == [], "\(reply.body)")
            #expect((reply["idempotency-replayed"] == "true") == isAgain, "\(reply.body)")
        }
        // Also in a space that has no commit, and so leaves memory.
        for (number, isAgain) in [(1, false), (1, true), (2, false), (2, true), (3, false)] {
            let reply = try plain.ask(
                "POST /v1/spaces/fresh/cart/clear", ["Headwater-Queue": "\(Self.client);\(number)"], "{}")
            #expect(reply.status == 200 && (reply["idempotency-replayed"] == "true") == isAgain, "\(number)")
        }
        #expect(try act(service, "3", "jot").status == 200)
        let before = try act(service, "2", "add", Self.card("a"))
        #expect(try before.status == 410 && before.json["type"] == "/problems/answered-before")
        // Another client, subject or space has numbers of its own.
        let other = try SteeredStreamTests.act(
            service, "jot", "", space: "b", ["Headwater-Queue": "\(Self.client);1"])
        #expect(other.status == 200)
    }

    // Law Q1
    @Test func `a list of actions uses one number, also a refused one`() throws {
        let service = try SteeredStreamTests.service()
        let requests = [
            ("actions", #"{"actions": [{"name": "board/jot", "input": {}}, {"name": "board/jot", "input": {}}]}"#),
            ("actions", #"{"actions": [{"name": "board/add", "input": {"id": 3}}]}"#),
            ("board/add", Self.card("a")),
            ("board/jot", "{}"),
        ]
        for (index, request) in requests.enumerated() {
            let fields = ["Headwater-Queue": "\(Self.client);\(index + 1)"]
            let first = try service.ask("POST /v1/spaces/main/\(request.0)", fields, request.1)
            #expect(first["idempotency-replayed"] == nil && first.status != 425, "\(request) \(first.body)")
            let again = try service.ask("POST /v1/spaces/main/\(request.0)", fields, request.1)
            #expect(again.status == first.status && again["idempotency-replayed"] == "true", "\(request) \(again.body)")
        }
    }

    // Law Q2
    @Test func `a number waits for those before it, and is refused after three seconds`() throws {
        let service = try SteeredStreamTests.service()
        let waiting = try service.connect()
        waiting.send("POST /v1/spaces/main/board/jot", ["Headwater-Queue": "\(Self.client);2"])
        service.settle()
        waiting.receive()
        #expect(waiting.takeHead() == nil)
        #expect(try act(service, "1", "jot").json["version"] == 1)
        service.settle()
        waiting.receive()
        #expect(waiting.takeAll().contains(#""version":2"#))
        let late = try act(service, "4", "jot")
        #expect(try late.status == 425 && late.json["type"] == "/problems/out-of-order" && late["retry-after"] != nil)
        #expect(try service.ask("GET /v1/spaces/main/board/count").status == 200)
        // An unknown client begins after what it has the answers to.
        let begun = try SteeredStreamTests.act(service, "jot", "", ["Headwater-Queue": "DDDDDDDDDDDDDDDDDDDDDD;8;7"])
        #expect(begun.status == 200)
        #expect(try act(service, "3", "jot").status == 200)
        #expect(try act(service, "6;5", "jot").status == 200, "five was answered without reaching the space")
    }

    @Test(arguments: [
        "x;1", "CCCCCCCCCCCCCCCCCCCCCC", "CCCCCCCCCCCCCCCCCCCCCC;0", "CCCCCCCCCCCCCCCCCCCCCC;1;1",
        "CCCCCCCCCCCCCCCCCCCCCC;1;0;0", "CCCCCCCCCCCCCCCCCCCCCC;+1", "CCCCCCCCCCCCCCCCCCCCC*;1",
        "CCCCCCCCCCCCCCCCCCCCCC;99999999999999999999",
    ])
    func `a field that is no position is 400`(_ text: String) throws {
        let service = try SteeredStreamTests.service()
        #expect(try SteeredStreamTests.act(service, "jot", "", ["Headwater-Queue": text]).status == 400)
    }

    @Test func `a client's clock that is wrong is told so when the action is performed, and only then`() throws {
        let service = try SteeredStreamTests.service()
        func time(_ seconds: Int) -> [String: String] {
            ["Headwater-Time": Timestamp(microseconds: Int64(service.now + seconds) * 1_000_000).description]
        }
        for seconds in [7, -90_000] {
            let wrong = try act(service, "1", "jot", "", time(seconds))
            #expect(try wrong.status == 422 && wrong.json["type"] == "/problems/clock")
        }
        #expect(try act(service, "1", "jot", "", ["Headwater-Time": "noon"]).status == 400)
        #expect(try SteeredStreamTests.act(service, "jot", "", ["Headwater-Time": ""]).status == 400)
        #expect(try act(service, "1", "jot", "", time(-3_600)).status == 200)
        #expect(try act(service, "1", "jot", "", time(100_000))["idempotency-replayed"] == "true")
    }

    @Test func `an action for an earlier document is performed if its input is valid now`() throws {
        let service = try SteeredStreamTests.service()
        func hash() throws -> String {
            guard case .array(let features)? = try service.ask("GET /v1").json["features"],
                case .string(let hash)? = features.first(where: { $0["name"] == "board" })?["hash"]
            else { return "" }
            return hash
        }
        let first = try hash()
        let changed = SteeredStreamTests.board.replacing(
            #""properties": {"topic": {"type": "string"}}, "required": ["topic"]"#,
            with: #""properties": {"topic": {"type": "string", "maxLength": 2}}, "required": ["topic"]"#)
        #expect(changed != SteeredStreamTests.board)
        #expect(try service.ask("PUT /v1/features/board", [:], changed).status < 300)
        let second = try hash()
        #expect(first != second && !first.isEmpty && !second.isEmpty)
        let fields = ["Headwater-Document": first]
        #expect(try act(service, "1", "rename", #"{"topic": "ab"}"#, fields).status == 200)
        let refused = try act(service, "2", "rename", #"{"topic": "abc"}"#, fields)
        #expect(try refused.status == 409 && refused.json["type"] == "/problems/changed-document")
        let invalid = try act(service, "3", "rename", #"{"topic": "abc"}"#, ["Headwater-Document": second])
        #expect(invalid.status == 422)
        // A member that has another name now is taken by its former name, and the same request again is the same.
        let renamed = SteeredStreamTests.board.replacing(
            #""properties": {"topic": {"type": "string"}}, "required": ["topic"]"#,
            with: #""properties": {"subject": {"type": "string", "was": "topic"}}, "required": ["subject"]"#
        ).replacing("input.topic", with: "input.subject")
        #expect(try service.ask("PUT /v1/features/board", [:], renamed).status < 300)
        for isAgain in [false, true] {
            let reply = try act(service, "4", "rename", #"{"topic": "old"}"#, fields)
            #expect(reply.status == 200 && (reply["idempotency-replayed"] == "true") == isAgain, "\(reply.body)")
        }
        #expect(try service.ask("GET /v1/spaces/main/board/topic").body == #""old""#)
        let change = try service.ask("GET /v1/spaces/main/changes?since=1").body
        #expect(change.contains(#""input":{"subject":"old"}"#), "\(change)")
        #expect(try act(service, "5", "rename", #"{"topic": "x"}"#).status == 422)
    }

    // Law Q1
    @Test func `the last answers survive a restart`() throws {
        let directory = try directory()
        defer { system("rm -rf \(directory)") }
        var service = try SteeredStreamTests.service(directory: directory)
        let first = try act(service, "1", "add", Self.card("a"))
        _ = try act(service, "2", "add", Self.card("a"))
        #expect(try act(service, "3", "jot").json["version"] == 2)
        // The refusal of another client goes with the next commit.
        let other = ["Headwater-Queue": "DDDDDDDDDDDDDDDDDDDDDD;1"]
        let refused = try SteeredStreamTests.act(service, "add", Self.card("a"), other)
        #expect(refused.status == 409 && first.status == 200)
        _ = try act(service, "4", "jot")
        let time = service.close()
        service = try SteeredStreamTests.service(directory: directory, startingAt: time)
        #expect(try act(service, "4", "jot")["idempotency-replayed"] == "true")
        #expect(try act(service, "3", "jot").status == 410)
        let again = try SteeredStreamTests.act(service, "add", Self.card("a"), other)
        #expect(again.body == refused.body && again["idempotency-replayed"] == "true")
        #expect(try act(service, "5", "jot").json["version"] == 4)
        // After thirty days the client is unknown.
        service.jump(seconds: 31 * 86_400)
        #expect(try act(service, "5;4", "jot").json["version"] == 5)
    }

    // Law Q3
    @Test func `changes show the position of a commit to its own subject only, and never the queue itself`() throws {
        let service = try SteeredStreamTests.service(tokenFile: ServiceInProcess.people)
        func fields(_ person: String) -> [String: String] { ServiceInProcess.person(person) }
        let queue = ["Headwater-Queue": "\(Self.client);1"]
        #expect(try SteeredStreamTests.act(service, "jot", "", fields("ada").merging(queue) { $1 }).status == 200)
        let refused = try SteeredStreamTests.act(
            service, "add", "{}", fields("bob").merging(queue) { $1 })
        #expect(refused.status == 422)
        #expect(try SteeredStreamTests.act(service, "jot", "", fields("bob")).status == 200)
        for person in ["ada", "bob", "root"] {
            let changes = try service.ask("GET /v1/spaces/main/changes?since=0", fields(person))
            guard case .array(let rows) = try changes.json else { return }
            #expect(rows.count == 2 && !changes.body.contains("~") && !changes.body.contains("queue"))
            #expect(rows[0]["client"] == (person == "ada" ? .string(Self.client) : nil))
            #expect(rows[0]["n"] == (person == "ada" ? 1 : nil) && rows[1]["client"] == nil)
            #expect(rows[0]["memory"] == nil)
        }
    }

    // Law PRIV1
    @Test func `an erased row goes from the answers of queues, too`() throws {
        let directory = try directory()
        defer { system("rm -rf \(directory)") }
        let service = try SteeredStreamTests.service(directory: directory)
        #expect(try act(service, "1", "add", Self.card("delicate")).json["result"] == "card delicate")
        #expect(
            try service.ask("POST /v1/spaces/main/erase", [:], #"{"table": "board.cards", "key": "delicate"}"#).status
                == 200)
        let again = try act(service, "1", "add", Self.card("delicate"))
        #expect(try again["idempotency-replayed"] == "true" && again.json["result"] == nil)
        _ = service.close()
        #expect(
            try !SteeredStreamTests.service(directory: directory).ask("GET /v1/spaces/main/changes?since=0").body
                .contains("card delicate"))
        let found = system("grep -rq 'card delicate' \(directory)")
        #expect(found != 0, "the files have no answer with the row")
    }

    // Law Q1
    @Test(arguments: 1...10) func `whatever is lost and sent again, each action is performed once and in order`(
        _ seed: Int
    ) throws {
        let directory = try directory()
        defer { system("rm -rf \(directory)") }
        var entropy = Entropy(seed: UInt64(seed))
        var service = try SteeredStreamTests.service(directory: directory)
        // Each client sends several numbers at once, in any order, and loses answers.
        let clients = ["EEEEEEEEEEEEEEEEEEEEEE", "FFFFFFFFFFFFFFFFFFFFFF"]
        var answered = [0, 0]
        var expected: [[String]] = [[], []]
        let total = 12
        func body(_ client: Int, _ number: Int) -> (action: String, body: String) {
            // Every third action is refused by its own effect: the card is there.
            let id = "c\(client)-\(number % 3 == 0 ? number - 1 : number)"
            return ("add", Self.card(id))
        }
        while answered.contains(where: { $0 < total }) {
            let index = entropy.below(2)
            if entropy.isOne(in: 12) {
                let time = service.close()
                service = try SteeredStreamTests.service(directory: directory, startingAt: time)
                continue
            }
            let first = answered[index] + 1
            guard first <= total else { continue }
            let count = min(1 + entropy.below(3), total - first + 1)
            var connections: [(number: Int, connection: ConnectionInProcess)] = []
            for number in shuffled(Array(first..<first + count), &entropy) {
                let connection = try service.connect()
                let (action, text) = body(index, number)
                connection.send(
                    bytes: Array(
                        ("POST /v1/spaces/main/board/\(action) HTTP/1.0\r\nHost: localhost\r\n"
                            + "Content-Type: application/json\r\nContent-Length: \(text.utf8.count)\r\n"
                            + "Headwater-Queue: \(clients[index]);\(number);\(answered[index])\r\n\r\n\(text)").utf8))
                connections.append((number, connection))
                if entropy.isOne(in: 2) { service.settle() }
            }
            service.settle()
            if entropy.isOne(in: 4) { continue }
            for (number, connection) in connections.sorted(by: { $0.number < $1.number }) {
                connection.receive()
                // A lost answer: the client asks again.
                guard number == answered[index] + 1, !entropy.isOne(in: 4), let head = connection.takeHead() else {
                    break
                }
                let status = Int(head.split(separator: " ")[1])
                #expect(status == 200 || status == 409 || status == 410, "seed \(seed): \(head)")
                answered[index] = number
            }
            // The other answers of the batch are lost; the last one is asked for again.
        }
        for client in 0..<2 {
            expected[client] = (1...total).filter { $0 % 3 != 0 }.map { "c\(client)-\($0)" }
        }
        guard case .array(let rows) = try service.ask("GET /v1/spaces/main/changes?since=0").json else { return }
        for client in 0..<2 {
            let keys = rows.compactMap { row -> String? in
                guard case .object(let cards)? = row["changed"]?["board.cards"], let key = cards.first?.key,
                    key.hasPrefix("c\(client)-")
                else { return nil }
                return key
            }
            #expect(keys == expected[client], "seed \(seed)")
        }
    }
}
