import Ground
import ReplicatedJournal
import SimulatedCluster
import StateStore
import Testing

#if canImport(Glibc)
    import Glibc
#endif

struct RandomRunTests {
    /// The first seed and the number of seeds: `HEADWATER_SEEDS=FIRST-COUNT`, as `Scripts/cluster-seeds` sets it.
    private static var seeds: [UInt64] {
        guard let text = getenv("HEADWATER_SEEDS").map({ String(cString: $0) }) else { return Array(1...200) }
        let numbers = text.split(separator: "-").compactMap { UInt64($0) }
        guard numbers.count == 2, numbers[1] > 0 else { return [] }
        return Array(numbers[0]..<(numbers[0] + numbers[1]))
    }

    // Laws L1 to L4
    @Test func `with random faults no answered commit is lost and the copies are equal`() throws {
        var (answered, freshReads) = (0, 0)
        for seed in Self.seeds {
            let run = try RandomRun(seed: seed)
            try run.run()
            #expect(run.complaints.isEmpty, "seed \(seed): \(run.complaints.prefix(3).joined(separator: "\n"))")
            if !run.complaints.isEmpty { break }
            answered += run.answered
            freshReads += run.freshReads
        }
        // The runs are of use only if most calls are answered.
        #expect(answered > 40 * Self.seeds.count)
        #expect(freshReads > 40 * Self.seeds.count)
    }
}
