import SimulatedCluster

/// Runs simulated clusters with random faults: `ClusterSeeds FIRST COUNT`. Exits with 1 if a run has complaints.
let numbers = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
let (first, count) = (numbers.first ?? 1, numbers.dropFirst().first ?? 200)
var (answered, freshReads) = (0, 0)
for seed in first..<(first + count) {
    let run = try RandomRun(seed: seed)
    try run.run()
    answered += run.answered
    freshReads += run.freshReads
    guard !run.complaints.isEmpty else { continue }
    print("seed \(seed):")
    for complaint in run.complaints.prefix(5) { print(complaint) }
    fatalError("the run of seed \(seed) broke a law")
}
print("\(count) seeds from \(first) on: \(answered) calls answered, \(freshReads) fresh reads, no complaint")
