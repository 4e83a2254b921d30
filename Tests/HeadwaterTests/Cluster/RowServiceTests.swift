import JSON
import NATSServers
import Testing

/// Rows in memory only on two nodes of the real program.
@Suite(.enabled(if: NATSServers.isInstalled, "\(NATSServers.absence)"), .timeLimit(.minutes(15)))
struct RowServiceTests {
    private let nodes: [Service]
    private let yard: ClusterYard

    init() throws {
        let yard = try ClusterYard()
        nodes = try ["A", "B"].map { try yard.node($0) }
        self.yard = yard
    }

    private func ask(_ node: Int, _ method: String, _ path: String, _ body: String? = nil) throws -> Response {
        try nodes[node].askUntilAble(method, path, body, ["Authorization": "Bearer root"])
    }

    // Laws U4, U5 and U7
    @Test func `clients at both nodes are present at both, and rows in memory are read at both`() throws {
        let document = """
            {
              "feature": "hall", "home": "space", "allow": {"act": "true"},
              "types": {"Seat": {"type": "object", "properties": {"x": {"type": "integer", "maximum": 9, "default": 0}}}},
              "state": {
                "here": {"table": {"key": {"type": "string"}, "row": {"$ref": "#/types/Seat"}},
                  "kept": false, "presence": true, "grace": 1},
                "marks": {"table": {"key": {"type": "string"}, "row": {"type": "object"}}, "kept": false}
              },
              "actions": {"mark": {
                "input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
                "do": [{"put": "marks", "key": "input.id", "row": "{}"}]}},
              "views": {
                "here": {"from": "here", "sort": ["key"], "select": "key"},
                "marks": {"from": "marks", "sort": ["key"], "select": "key"}
              }
            }
            """
        #expect(try ask(0, "PUT", "/v1/features/hall", document).status == 201)
        #expect(try ask(1, "PUT", "/v1/features/hall", document).status == 200)
        for number in 0..<4 {
            let path = "/v1/spaces/hall\(number)"
            var streams: [Client] = []
            for (node, key) in [(0, "ada"), (1, "bob")] {
                let target = "\(path)/views?view=hall.here&presence=hall.here&as=\(key)&events=1"
                streams.append(try nodes[node].stream(target, ["Authorization": "Bearer root"]))
                // The first event has the row of its client.
                #expect(try streams[node].event()?.data?.contains(key) == true)
            }
            for node in nodes.indices {
                #expect(try ask(node, "GET", "\(path)/hall/here").text == #"["ada","bob"]"#)
                let wish = "presence=hall.here&as=eve&with=%7B%22x%22:10%7D&events=1"
                let refused = try ask(node, "GET", "\(path)/views?view=hall.here&\(wish)")
                #expect(try refused.status == 422 && refused.json["pointer"] == "/with", "\(refused)")
                let marked = try ask(node, "POST", "\(path)/hall/mark", #"{"id": "m\#(node)"}"#)
                #expect(try marked.status == 200 && marked.json["version"] == 0, "\(marked)")
                let seen = try nodes.indices.map { try ask($0, "GET", "\(path)/hall/marks").text }
                #expect(seen == Array(repeating: node == 0 ? #"["m0"]"# : #"["m0","m1"]"#, count: 2))
            }
            let watcher = streams[1]
            streams = []
            // The watcher at the other node sees the row go.
            let deadline = Deadline(seconds: 60)
            var last = ""
            while last != #"{"hall.here":["bob"]}"#, deadline.millisecondsLeft > 0 {
                last = try watcher.event()?.data ?? last
            }
            #expect(last == #"{"hall.here":["bob"]}"#)
            #expect(try ask(0, "GET", "\(path)/hall/here").text == #"["bob"]"#)
        }
    }
}
