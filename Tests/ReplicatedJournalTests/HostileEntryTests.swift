import Reactive
import StateStore
import Testing

@testable import ReplicatedJournal
@testable import SimulatedCluster

/// Entries that follow in the chain and that no node has written: each node applies them or stops the lane.
struct HostileEntryTests {
    private static let lane = Lane(0)
    private static let kinds: [LogEntry.Kind] = [.batch, .batch, .batch, .claim, .release, .mark, .forget, .settings]

    @Test(arguments: UInt64(1)...100)
    func `any entry is applied by all nodes alike, or stops the lane on all`(_ seed: UInt64) throws {
        let cluster = try SimulatedCluster(seed: seed, lanes: 1, registry: .roster())
        cluster.world.run(for: .seconds(5))
        let owner = try #require(cluster.owner(of: .a))
        let call = Call(feature: "roster", action: "enter", input: Array(#"{"token":"t"}"#.utf8))
        owner.perform(call, in: .a) { _ in }
        cluster.world.run(for: .seconds(1))
        var randomness = Randomness(seed: seed)
        let contents = try cluster.server.entries(of: Self.lane).map { try LogEntry.decode($0).entry.content }
        let commits = try #require(contents.first { !$0.isEmpty })
        for number in 0..<30 {
            let entries = cluster.server.entries(of: Self.lane)
            let chain = try LogEntry.decode(entries[entries.count - 1]).chain
            let entry = Self.entry(number, commits, &randomness)
            _ = cluster.server.append(entry.encoded(after: chain).bytes, to: Self.lane, after: entries.count)
            cluster.world.run(for: .milliseconds(200))
        }
        cluster.world.run(for: .seconds(5))
        let states = cluster.nodes.compactMap { $0.journal.status.lanes[Self.lane] }
        #expect(states.allSatisfy { $0.halt != nil } || states.allSatisfy { $0.applied == $0.end })
        #expect(Set(cluster.nodes.map { RandomRun.text(of: $0.copy) }).count == 1)
    }

    private static func entry(
        _ number: Int, _ commits: [UInt8], _ randomness: inout Randomness
    ) -> LogEntry {
        var content = commits
        switch Int.random(in: 0..<5, using: &randomness) {
        case 0: content = []
        case 1: content = Array("a".utf8)
        case 2: content = ClusterSettings(identity: 1, lanes: 2, lifeBase: number, digestKey: .random()).bytes
        default:
            for _ in 0..<Int.random(in: 0..<3, using: &randomness) {
                content[Int.random(in: content.indices, using: &randomness)] = .random(in: 0...255, using: &randomness)
            }
        }
        let parts = Int.random(in: 1...2, using: &randomness)
        return LogEntry(
            lane: lane, kind: kinds[Int.random(in: kinds.indices, using: &randomness)],
            term: Int.random(in: 0...3, using: &randomness),
            node: ["n1", "n2", "other"].randomElement(using: &randomness) ?? "",
            batch: BatchID(first: 1, second: .random(in: 0...1, using: &randomness)),
            part: Int.random(in: 0..<parts, using: &randomness), parts: parts, content: content)
    }
}
