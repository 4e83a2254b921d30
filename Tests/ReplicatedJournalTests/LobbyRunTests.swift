import Ground
import SimulatedCluster
import Testing

struct LobbyRunTests {
    private static let seeds: ClosedRange<UInt64> = 1...16

    // Laws U4 to U7
    @Test func `with random faults all nodes agree on who is there, and no answered change is missed`() throws {
        var (changes, reads, joins, moves) = (0, 0, 0, 0)
        for seed in Self.seeds {
            // In some runs spaces move within their processes, as large ones do.
            let run = try LobbyRun(seed: seed, movesSpaces: seed % 4 == 0)
            try run.run(seconds: 20, faults: 6)
            #expect(run.complaints.isEmpty, "seed \(seed): \(run.complaints.prefix(3).joined(separator: "\n"))")
            if !run.complaints.isEmpty { break }
            changes += run.changes
            reads += run.freshReads
            joins += run.joins
            moves += run.moved
        }
        // The runs are of use only if most of it succeeds.
        #expect(changes > 40 * Self.seeds.count && reads > 40 * Self.seeds.count && joins > 20 * Self.seeds.count)
        #expect(moves > 0)
    }
}
