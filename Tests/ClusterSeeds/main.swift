import Glibc
import SimulatedCluster
import SimulatedService

/// Runs simulated clusters with random faults: `ClusterSeeds FIRST COUNT [documents | rows | queues | readers]`. Exits
/// with 1 if a run has complaints. With `documents` their features are documents; with `rows` the runs are those of rows in
/// memory only; with `queues` clients queue their actions; with `readers` clients change their node. With `--all` the runs
/// go on after one with complaints.
let numbers = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
let (first, count) = (numbers.first ?? 1, numbers.dropFirst().first ?? 200)
var (answered, freshReads) = (0, 0)
for seed in first..<(first + count) {
    let complaints: [String]
    switch CommandLine.arguments.last {
    case "documents":
        let run = try DocumentRun(seed: seed)
        try run.run()
        (complaints, answered) = (run.complaints, answered + run.answered)
    case "rows":
        // In every third run spaces move within their processes, as large ones do.
        let run = try LobbyRun(seed: seed, movesSpaces: seed % 3 == 0)
        try run.run(seconds: 20, faults: 6)
        (complaints, answered, freshReads) = (run.complaints, answered + run.changes, freshReads + run.freshReads)
    case "queues":
        let run = try QueueRun(seed: seed, faults: 12)
        run.run(seconds: 40)
        (complaints, answered) = (run.complaints, answered + run.answered)
    case "readers":
        // Every other run has faults.
        let isCalm = seed % 2 == 0
        let run = try ReaderRun(seed: seed, faults: isCalm ? 0 : 6, largeBytes: seed % 3 == 0 ? 1 : nil)
        try run.run(seconds: isCalm ? 3 : 12)
        (complaints, answered) = (run.complaints, answered + run.observed)
    default:
        let run = try RandomRun(seed: seed)
        try run.run()
        (complaints, answered, freshReads) = (run.complaints, answered + run.answered, freshReads + run.freshReads)
    }
    guard !complaints.isEmpty else { continue }
    print("seed \(seed):")
    for complaint in complaints.prefix(5) { print(complaint) }
    if !CommandLine.arguments.contains("--all") { exit(1) }
}
print("\(count) seeds from \(first) on: \(answered) calls answered, \(freshReads) fresh reads, no complaint")
