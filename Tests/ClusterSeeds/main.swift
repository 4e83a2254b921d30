import Glibc
import SimulatedCluster

/// Runs simulated clusters with random faults: `ClusterSeeds FIRST COUNT [documents]`. Exits with 1 if a run has
/// complaints. With `documents` their features are documents.
let numbers = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
let hasDocuments = CommandLine.arguments.contains("documents")
let (first, count) = (numbers.first ?? 1, numbers.dropFirst().first ?? 200)
var (answered, freshReads) = (0, 0)
for seed in first..<(first + count) {
    let complaints: [String]
    if hasDocuments {
        let run = try DocumentRun(seed: seed)
        try run.run()
        (complaints, answered) = (run.complaints, answered + run.answered)
    } else {
        let run = try RandomRun(seed: seed)
        try run.run()
        (complaints, answered, freshReads) = (run.complaints, answered + run.answered, freshReads + run.freshReads)
    }
    guard !complaints.isEmpty else { continue }
    print("seed \(seed):")
    for complaint in complaints.prefix(5) { print(complaint) }
    exit(1)
}
print("\(count) seeds from \(first) on: \(answered) calls answered, \(freshReads) fresh reads, no complaint")
