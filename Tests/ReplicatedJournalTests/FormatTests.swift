import StateStore
import Testing

@testable import ReplicatedJournal
@testable import SimulatedCluster

/// Entries of a format that not every program reads.
struct FormatTests {
    /// A cluster whose third node has an older program, and the outcomes of calls.
    private final class Yard: @unchecked Sendable {
        // Sendable because a simulation runs on one thread.
        let cluster: SimulatedCluster
        var results: [String] = []

        init() throws {
            cluster = try SimulatedCluster(seed: 5, registry: .roster(), olderNodes: [2])
            cluster.world.run(for: .seconds(10))
        }

        func send(_ call: Call) throws {
            let owner = try #require(cluster.owner(of: .a))
            owner.perform(call, in: .a) { result in
                switch result {
                case .success(let answer): self.results.append("\(answer.version)")
                case .failure(.journal(let failure)): self.results.append("\(failure.kind)")
                case .failure(let refusal): self.results.append("\(refusal)")
                }
            }
            cluster.world.run(for: .seconds(1))
        }

        func enter(_ token: String) throws {
            try send(Call(feature: "roster", action: "enter", input: Array(#"{"token":"\#(token)"}"#.utf8)))
        }

        /// Erases the row of a token.
        func erase(_ token: String) throws { try send(try cluster.erasure(of: token, in: .a)) }

        /// The formats of the entries of the space's lane.
        var formats: Set<UInt8> { Set(cluster.server.entries(of: Lane.of(.a, among: 3)).compactMap(\.first)) }
    }

    // Law CL11
    @Test func `an entry that an older program would misread waits until every lease shows that it is read`() throws {
        let yard = try Yard()
        try yard.enter("ada")
        try yard.erase("ada")
        try yard.enter("bob")
        #expect(yard.results == ["1", "awaitsUpgrade", "2"])
        #expect(yard.formats == [1])
        yard.cluster.olderNodes = []
        try yard.cluster.restart(2)
        yard.cluster.world.run(for: .seconds(60))
        try yard.erase("ada")
        #expect(yard.results.last == "3")
        #expect(yard.formats == [1, 2])
        for node in yard.cluster.nodes {
            #expect(try node.copy.load(.a)?.facts.contains { $0.entry == "ada" && $0.value != nil } == false)
        }
    }

    // Law CL11
    @Test func `a node that lives no more holds nothing back`() throws {
        let yard = try Yard()
        try yard.enter("ada")
        yard.cluster.nodes[2].kill()
        yard.cluster.world.run(for: .seconds(20))
        try yard.erase("ada")
        #expect(yard.results == ["1", "2"])
    }

    // Law CL11
    @Test func `commits have the oldest format that has room for them, and unknown flags are refused`() throws {
        let plain = CommitRecord(
            space: .a, version: 1, at: Timestamp(microseconds: 0), action: "a/b", input: nil,
            facts: [Fact(variable: "v", value: [])])
        let hiding = CommitRecord(
            space: .a, version: 1, at: Timestamp(microseconds: 0), action: "a/b", input: nil, facts: [],
            withheld: ["/input/code"])
        let erasing = CommitRecord(
            space: .a, version: 1, at: Timestamp(microseconds: 0), action: ErasedRow.action, input: nil, facts: [])
        let adding = [
            Fact(variable: "v", entry: "k", value: Array(#"["\u0000",18,3,{"n":1}]"#.utf8)),
            Fact(variable: "v", value: Array(#"{"k":["\u0000",18,3,{"n":1}]}"#.utf8)),
        ].map { fact in
            CommitRecord(
                space: .a, version: 1, at: Timestamp(microseconds: 0), action: "a/b", input: nil, facts: [fact])
        }
        #expect(([plain, hiding, erasing] + adding).map { CommitCoding.format(of: $0) } == [1, 2, 2, 3, 3])
        for commit in [plain, hiding] {
            var writer = EntryWriter()
            CommitCoding.write(commit, to: &writer)
            #expect(try CommitCoding.read(writer.bytes).map(\.withheld) == [commit.withheld])
            var bytes = writer.bytes
            bytes[0] |= 32
            #expect(throws: EntryFault.malformed) { try CommitCoding.read(bytes) }
        }
    }
}
