import Ground
import JSON
import NATSServers
import Testing

/// Two nodes of the real program over a real log. Every request is repeated while its problem is one of the moment: a
/// busy machine loses leases.
@Suite(.enabled(if: NATSServers.isInstalled, "\(NATSServers.absence)"), .serialized, .timeLimit(.minutes(15)))
struct ClusterServiceTests {
    /// Two nodes that end with the tests.
    private struct Nodes {
        let yard: ClusterYard
        let all: [Service]

        static let result = Result { try Nodes() }

        init() throws {
            let yard = try ClusterYard()
            all = try ["A", "B"].map { try yard.node($0) }
            self.yard = yard
        }
    }

    private let nodes: [Service]

    init() throws {
        nodes = try Self.Nodes.result.get().all
    }

    /// Sends a request until its answer is none of the moment.
    private func ask(
        _ node: Int, _ method: String, _ path: String, _ body: String? = nil, _ fields: [String: String] = [:]
    ) throws -> Response {
        try nodes[node].askUntilAble(method, path, body, ["Authorization": "Bearer root"].merging(fields) { $1 })
    }

    private func add(_ node: Int, _ space: String, _ key: String) throws {
        let answer = try ask(
            node, "POST", "/v1/spaces/\(space)/cart/add", #"{"productId": 1}"#, ["Idempotency-Key": key])
        #expect(answer.status == 200, "\(answer)")
    }

    @Test func `any node takes an action, and every node shows it`() throws {
        for number in 0..<12 { try add(number % 2, "act\(number % 6)", "act\(number)") }
        for number in 0..<6 {
            for node in nodes.indices {
                #expect(try ask(node, "GET", "/v1/spaces/act\(number)").json["version"] == 2)
            }
        }
    }

    @Test func `the commits of all spaces go on at another node by their cursor`() throws {
        for number in 0..<12 { try add(number % 2, "feed\(number % 5)", "feed\(number)") }
        func rows(_ node: Int, after cursor: String) throws -> [(text: String, cursor: String)] {
            let answer = try ask(node, "GET", "/v1/changes?since=\(cursor)")
            #expect(answer.status == 200, "\(answer)")
            return try (answer.json.array ?? []).map { row in
                ("\(row["space"]?.string ?? "") \(row["version"]?.integer ?? -1)", row["cursor"]?.string ?? "")
            }
        }
        let all = try nodes.indices.map { try rows($0, after: "") }
        #expect(all[0].map(\.text).sorted() == all[1].map(\.text).sorted())
        for (node, own) in all.enumerated() {
            for place in stride(from: 0, to: own.count, by: 5) {
                let rest = try rows(1 - node, after: own[place].cursor)
                #expect((own[...place] + rest).map(\.text).sorted() == own.map(\.text).sorted())
            }
        }
        let last = all[0].last?.cursor ?? ""
        #expect(try rows(1, after: last).isEmpty)
    }

    @Test func `a hook is put, read and removed at any node, and has its cursor`() throws {
        let document =
            #"{"source": {"changes": ["cart/*"]}, "url": "http://127.0.0.1:1/in", "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}"#
        for node in nodes.indices {
            let made = try ask(node, "PUT", "/v1/spaces/hooked/hooks/h\(node)", document)
            #expect(made.status == 201, "\(made)")
        }
        for node in nodes.indices {
            let hooks = try ask(node, "GET", "/v1/spaces/hooked/hooks").json["hooks"]?.array ?? []
            #expect(hooks.compactMap { $0["id"]?.string } == ["h0", "h1"])
            #expect(try ask(node, "GET", "/v1/spaces/hooked/hooks/h0").json["cursor"] == 0)
            for path in ["hooks", "hooks/h1", "hooks/none"] {
                let whole = try ask(node, "GET", "/v1/spaces/hooked/\(path)")
                let head = try ask(node, "HEAD", "/v1/spaces/hooked/\(path)")
                #expect(head.status == whole.status && head.text.isEmpty)
                #expect(head["Content-Length"] == whole["Content-Length"])
            }
        }
        for node in nodes.indices {
            let removed = try ask(node, "DELETE", "/v1/spaces/hooked/hooks/h\(1 - node)")
            #expect(removed.status == 204, "\(removed)")
        }
    }

    @Test func `a feature that is put at one node is there at the other, and its views agree`() throws {
        let document = """
            {
              "feature": "counter", "home": "space",
              "state": {"count": {"value": {"type": "integer"}, "initial": 0}},
              "actions": {"add": {"do": [{"set": "count", "to": "state.count + 1"}]}},
              "views": {"count": {"expression": "state.count"}}
            }
            """
        for node in nodes.indices {
            let put = try ask(node, "PUT", "/v1/features/counter", document)
            #expect(put.status == (node == 0 ? 201 : 200), "\(put)")
        }
        let sum = """
            {"source": {"view": "counter.count"},
            "operators": [{"scan": {"initialValue": 0, "expression": "accumulated + value"}}]}
            """
        for number in 0..<3 {
            let put = try ask(1, "PUT", "/v1/spaces/counted\(number)/streams/sum", sum)
            #expect(put.status == 201 || put.status == 200, "\(put)")
        }
        for number in 0..<6 {
            let answer = try ask(
                number % 2, "POST", "/v1/spaces/counted\(number % 3)/counter/add", "{}",
                ["Idempotency-Key": "c\(number)"])
            #expect(answer.status == 200, "\(answer)")
        }
        for node in nodes.indices {
            #expect(try ask(node, "GET", "/v1/features/counter").json["feature"] == "counter")
            for number in 0..<3 {
                #expect(try ask(node, "GET", "/v1/spaces/counted\(number)/counter/count").text == "2")
                // The memory of the stream: 0, 0 + 1, 1 + 2.
                #expect(try ask(node, "GET", "/v1/spaces/counted\(number)/streams/sum/value").text == "3")
            }
        }
    }

    @Test func `the owner verifies the token of a forwarded action, and notes its subject`() throws {
        let ann = ["Authorization": "Bearer ann"]
        for number in 0..<6 {
            for node in nodes.indices {
                let path = "/v1/spaces/by\(number)/cart/add"
                let answer = try ask(node, "POST", path, #"{"productId": 1}"#, ann)
                #expect(answer.status == 200, "\(answer)")
                #expect(try ask(node, "POST", path, #"{"productId": 1}"#, ["Authorization": "Bearer no"]).status == 401)
                // The mark of forwarded requests gives no right, and no other subject.
                let forged = try nodes[node].ask(
                    "POST", "\(path)?_forwarded=1", #"{"productId": 1}"#, ["Authorization": "Bearer no"])
                #expect(forged.status == 401)
            }
        }
        for number in 0..<6 {
            for node in nodes.indices {
                let changes = try ask(node, "GET", "/v1/spaces/by\(number)/changes").json.array ?? []
                #expect(changes.count == 2 && changes.allSatisfy { $0["by"]?["sub"] == "ann" })
            }
        }
    }

    @Test func `rules and expressions read the token of a forwarded action`() throws {
        let document = """
            {
              "feature": "owned", "home": "space",
              "state": {"rows": {"table": {"key": {"type": "string"}, "row": {"type": "string"}}}},
              "actions": {
                "put": {
                  "input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
                  "allow": "!(input.id in state.rows) || state.rows[input.id] == token.sub",
                  "do": [{"put": "rows", "key": "input.id", "row": "token.sub"}]
                }
              },
              "views": {"rows": {"from": "rows", "select": "key + ' ' + row"}}
            }
            """
        #expect(try ask(0, "PUT", "/v1/features/owned", document).status == 201)
        for number in 0..<6 {
            let path = "/v1/spaces/owned\(number)/owned"
            for node in nodes.indices {
                let ann = try ask(
                    node, "POST", "\(path)/put", #"{"id": "a"}"#, ["Authorization": "Bearer ann"])
                #expect(ann.status == 200, "\(ann)")
                #expect(try ask(node, "POST", "\(path)/put", #"{"id": "a"}"#).isProblem("forbidden", 403))
                #expect(try ask(node, "GET", "\(path)/rows").text == #"["a ann"]"#)
            }
        }
    }

    // Law CL13
    @Test func `without the log a new stream is refused like a fresh read, and a near one begins`() throws {
        let yard = try ClusterYard()
        let node = try yard.node("A")
        let root = ["Authorization": "Bearer root"]
        let deadline = Deadline(seconds: 240)
        while try node.ask("POST", "/v1/spaces/s/user/logIn", #"{"name": "Ada"}"#, root).status != 200 {
            guard deadline.millisecondsLeft > 0 else { throw Trouble("the node takes no action") }
        }
        let before = try node.stream("/v1/spaces/s/user/title", root)
        #expect(try before.block()?.hasPrefix("retry") == true)
        #expect(try before.event()?.data == #""Ada""#)
        yard.servers.kill(0)
        // The lease ends some seconds later. Until then the node answers fresh reads.
        while try node.ask("GET", "/v1/spaces/s/user/title", nil, root).status == 200 {
            guard deadline.millisecondsLeft > 0 else { throw Trouble("the node goes on with fresh reads") }
        }
        let events = root.merging(["Accept": "text/event-stream"]) { $1 }
        for fields in [root, events] {
            let refused = try node.ask("GET", "/v1/spaces/s/user/title", nil, fields)
            #expect(try refused.isProblem("behind", 503))
            #expect(refused["Retry-After"] == "1")
        }
        let near = try node.stream("/v1/spaces/s/user/title", root.merging(["Prefer": "near"]) { $1 })
        #expect(try near.block()?.hasPrefix("retry") == true)
        #expect(try near.event()?.data == #""Ada""#)
        #expect(
            try node.ask("GET", "/v1/spaces/s/user/title", nil, root.merging(["Prefer": "near"]) { $1 }).status == 200)
    }
}
