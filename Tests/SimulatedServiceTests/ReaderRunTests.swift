import ReplicatedJournal
import SimulatedCluster
import SimulatedService
import StateStore
import Testing

struct ReaderRunTests {
    // Laws CL6, CL12, CL13 and CL14. `Scripts/cluster-seeds` runs more seeds.
    @Test(arguments: UInt64(1)...24)
    func `clients that change their node are shown what was committed`(_ seed: UInt64) throws {
        let hasFaults = seed % 4 == 0
        let run = try ReaderRun(seed: seed, faults: hasFaults ? 4 : 0)
        try run.run(seconds: hasFaults ? 8 : 3)
        #expect(run.complaints.isEmpty, "\(run.complaints.prefix(5).joined(separator: "\n"))")
        // Faults can take all of a short run.
        #expect(run.observedInCalm > 20 && (hasFaults || run.observed > 300))
    }

    // Laws CALM5, CL6, CL12, CL13 and CL14. The loop of large spaces may be late: nobody waits until it has taken the news.
    @Test(arguments: [101, 102, 104] as [UInt64])
    func `clients whose spaces move to the loop of large ones are shown what was committed`(_ seed: UInt64) throws {
        let hasFaults = seed % 4 == 0
        let run = try ReaderRun(seed: seed, faults: hasFaults ? 4 : 0, largeBytes: 1)
        try run.run(seconds: hasFaults ? 8 : 3)
        #expect(run.complaints.isEmpty, "\(run.complaints.prefix(5).joined(separator: "\n"))")
        #expect(run.moved > 0)
        #expect(run.observedInCalm > 20)
    }

    // Laws CALM5 and CL6
    @Test func `a read that waits for the loop of large spaces shows what was answered before it`() throws {
        let space = try #require(SpaceName("s"))
        var took = 0
        // The other node may become the owner in place of this one.
        for seed in UInt64(1)...20 where took < 1 {
            let cluster = try ServedCluster(seed: seed, largeBytes: 1)
            for node in cluster.nodes { node.longestTurn = 20_000 }
            cluster.world.run(for: .seconds(8))
            let owner = try #require(cluster.nodes.first { $0.journal.owns(space) })
            let reader = try #require(cluster.nodes.first { $0 !== owner })
            func send(_ line: String, _ body: String? = nil, to node: SimulatedServer) throws -> SimulatedConnection {
                let connection = try #require(node.connect())
                connection.send(line, [:], body)
                return connection
            }
            _ = try send("POST /v1/spaces/s/tally/add", "{}", to: owner)
            cluster.world.run(for: .seconds(1))
            _ = try send("GET /v1/spaces/s/tally/total", to: reader)
            cluster.world.run(for: .seconds(3))
            // A commit that the reader's node gets after the request has begun to wait.
            reader.isComputing = true
            reader.log.set(.both)
            let action = try send("POST /v1/spaces/s/tally/add", "{}", to: owner)
            cluster.world.run(for: .milliseconds(500))
            #expect(action.take(upTo: "\r\n\r\n")?.contains(" 200 ") == true)
            let read = try send("GET /v1/spaces/s/tally/total", to: reader)
            cluster.world.run(for: .milliseconds(50))
            reader.log.set(.none)
            cluster.world.run(for: .milliseconds(500))
            // That node becomes the owner, which needs no question for its fresh reads.
            owner.journal.drain()
            cluster.world.run(for: .seconds(1))
            #expect(read.received.isEmpty)
            took += reader.journal.owns(space) ? 1 : 0
            reader.isComputing = false
            cluster.world.run(for: .seconds(3))
            #expect(read.take(upTo: "\r\n\r\n")?.contains(" 200 ") == true)
            #expect(String(decoding: read.received, as: UTF8.self) == "2", "seed \(seed)")
        }
        #expect(took == 1)
    }

    // Law CL12
    @Test func `a stream that begins beside a read of a commit on its way has the id of its values`() throws {
        let cluster = try ServedCluster(seed: 1)
        cluster.world.run(for: .seconds(8))
        for number in 0..<10 {
            let space = "s\(number)"
            let name = try #require(SpaceName(space))
            let owner = try #require(cluster.nodes.first { $0.journal.owns(name) })
            let connections = try (0..<3).map { _ in try #require(owner.connect()) }
            connections[0].send("POST /v1/spaces/\(space)/tally/add", [:], "{}")
            connections[1].send("GET /v1/spaces/\(space)/tally/total", ["Prefer": "near"], nil)
            let events = ["Prefer": "near", "Accept": "text/event-stream"]
            connections[2].send("GET /v1/spaces/\(space)/tally/total", events, nil)
            cluster.world.run(for: .seconds(1))
            let head = try #require(connections[1].take(upTo: "\r\n\r\n"))
            let value = String(decoding: connections[1].received, as: UTF8.self)
            #expect(head.contains("ETag: \"\(value)."))
            let text = String(decoding: connections[2].received, as: UTF8.self)
            for block in text.components(of: "\n\n") where block.contains("data: ") {
                let data = block.components(of: "data: ").last ?? ""
                #expect(block.contains("id: \(data)."))
            }
            #expect(text.contains("data: 1"))
        }
    }

    // Law CL13
    @Test func `a node that lacks what a client has seen answers 503 after three seconds, a stream too`() throws {
        let cluster = try ServedCluster(seed: 2)
        cluster.world.run(for: .seconds(8))
        let node = cluster.nodes[0]
        let tag = try #require(Self.tag(at: node, cluster))
        let later = "99" + tag.drop { $0 != "." }
        let events = ["Accept": "text/event-stream", "Last-Event-ID": later]
        for near in [[:], ["Prefer": "near"]] {
            for fields in [events, ["If-None-Match": "\"\(later)\""]] {
                let connection = try #require(node.connect())
                connection.send("GET /v1/spaces/s/tally/total", fields.merging(near) { $1 }, nil)
                cluster.world.run(for: .milliseconds(2_900))
                #expect(connection.received.isEmpty)
                cluster.world.run(for: .milliseconds(200))
                let answer = String(decoding: connection.received, as: UTF8.self)
                #expect(answer.contains(" 503 ") && answer.contains("Retry-After: ") && answer.contains("behind"))
            }
        }
    }

    private static func tag(at node: SimulatedServer, _ cluster: ServedCluster) -> String? {
        guard let connection = node.connect() else { return nil }
        connection.send("GET /v1/spaces/s/tally/total", [:], nil)
        cluster.world.run(for: .seconds(1))
        let head = connection.take(upTo: "\r\n\r\n")
        return head?.components(of: "ETag: \"").last.map { String($0.prefix { $0 != "\"" }) }
    }
}

extension String {
    fileprivate func components(of separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map { String($0) }
    }
}
