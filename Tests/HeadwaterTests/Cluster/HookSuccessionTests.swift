import Glibc
import JSON
import NATSServers
import Testing

/// The delivery of hooks while nodes of a cluster are killed.
@Suite(.enabled(if: NATSServers.isInstalled, "\(NATSServers.absence)"), .timeLimit(.minutes(15)))
struct HookSuccessionTests {
    private static let root = ["Authorization": "Bearer root"]

    /// Sends a request until its answer has a status.
    private func ask(
        _ node: Service, _ method: String, _ path: String, _ body: String? = nil, key: String? = nil, until status: Int
    ) throws -> Response {
        let deadline = Deadline(seconds: 240)
        while true {
            let fields = key.map { Self.root.merging(["Idempotency-Key": $0]) { $1 } } ?? Self.root
            let answer = try node.ask(method, path, body, fields)
            if answer.status == status { return answer }
            guard answer.status == 503, deadline.millisecondsLeft > 0 else {
                throw Trouble("\(method) \(path): \(answer)")
            }
        }
    }

    // Law HOOK1
    @Test func `the next owner goes on with the cursor of a hook, and no event is lost`() throws {
        let yard = try ClusterYard()
        let receiver = try ReceivingServer()
        defer { receiver.close() }
        let names = ["A", "B"]
        var nodes = try names.map { try yard.node($0) }
        for node in nodes { _ = try ask(node, "GET", "/readyz", until: 200) }
        _ = try ask(
            nodes[0], "PUT", "/v1/spaces/main/hooks/all",
            #"{"source": {"changes": ["cart/*"]}, "url": "http://127.0.0.1:\#(receiver.port)/in", "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}"#,
            until: 201)
        var count = 0
        func act(_ living: [Service]) throws {
            for _ in 0..<20 {
                count += 1
                _ = try ask(
                    living[count % living.count], "POST", "/v1/spaces/main/cart/add", #"{"productId": 1}"#,
                    key: "act\(count)", until: 200)
            }
        }
        try act(nodes)
        // One of them delivers: the owner of `common`.
        for killed in nodes.indices {
            nodes[killed].program.kill(SIGKILL)
            _ = nodes[killed].program.wait()
            try act([nodes[1 - killed]])
            nodes[killed] = try yard.node(names[killed])
            _ = try ask(nodes[killed], "GET", "/readyz", until: 200)
            try act(nodes)
        }
        let arrived = try receiver.deliveries(of: "headwater.commit", until: "main/\(count)")
        #expect(arrived.allSatisfy { $0.isSigned })
        var seen: Set<String> = []
        let first = arrived.filter { seen.insert($0.fields["ce-id"] ?? "").inserted }
        #expect(first.map { $0.fields["ce-id"] ?? "" } == (1...count).map { "main/\($0)" })
        // A repeat has the name and the body of the first delivery, whichever node sends it.
        let repeats = Dictionary(grouping: arrived) { $0.fields["ce-id"] ?? "" }.values
        #expect(repeats.allSatisfy { Set($0.map { $0.fields["webhook-id"] ?? "" }).count == 1 })
        #expect(repeats.allSatisfy { Set($0.map(\.body)).count == 1 })
        let deadline = Deadline(seconds: 240)
        for node in nodes {
            while try ask(node, "GET", "/v1/spaces/main/hooks/all", until: 200).json["cursor"]?.integer != count {
                guard deadline.millisecondsLeft > 0 else { throw Trouble("the cursor does not get there") }
            }
        }
    }
}
