import Ground
import ReplicatedJournal
import SimulatedCluster
import StateStore
import Testing

struct RandomRunTests {
    /// The seeds of the tests. `Scripts/cluster-seeds` runs more of them.
    private static let seeds: ClosedRange<UInt64> = 1...120

    // Laws CL1 to CL4 and CL6
    @Test func `with random faults no answered commit is lost and the copies are equal`() throws {
        var (answered, freshReads) = (0, 0)
        for seed in Self.seeds {
            let run = try RandomRun(seed: seed, faults: 6, seconds: 15)
            try run.run()
            #expect(run.complaints.isEmpty, "seed \(seed): \(run.complaints.prefix(3).joined(separator: "\n"))")
            if !run.complaints.isEmpty { break }
            answered += run.answered
            freshReads += run.freshReads
        }
        // The runs are of use only if most calls are answered.
        #expect(answered > 20 * Self.seeds.count)
        #expect(freshReads > 20 * Self.seeds.count)
    }

    // Laws Q1 and Q2
    @Test func `each action of a queue is performed once and in its order, at whatever node it arrives`() throws {
        let seeds: ClosedRange<UInt64> = 1...60
        var (answered, repeated) = (0, 0)
        for seed in seeds {
            let run = try QueueRun(seed: seed, faults: 6)
            run.run(seconds: 15)
            #expect(run.complaints.isEmpty, "seed \(seed): \(run.complaints.prefix(3).joined(separator: "\n"))")
            if !run.complaints.isEmpty { break }
            answered += run.answered
            repeated += run.repeated
        }
        #expect(answered > 60 * seeds.count && repeated > 5 * seeds.count)
    }

    // Laws CL1 to CL4, DOC6, DOC7 and DOC8
    @Test(arguments: UInt64(1)...8)
    func `documents, schedules, pipelines, streams, dropped state and erasures are the same on all nodes`(
        _ seed: UInt64
    ) throws {
        let run = try DocumentRun(seed: seed)
        try run.run()
        #expect(run.complaints.isEmpty, "\(run.complaints.prefix(5).joined(separator: "\n"))")
        #expect(run.answered > 100 && run.forbidden > 5)
        #expect(run.comparedStreams > 0 && run.comparedFirings > 0)
    }
}
