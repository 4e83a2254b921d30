import Glibc
import TwoWorlds

/// Runs random scenarios in two worlds each: `WorldSeeds FIRST COUNT`. Exits with 1 if a caller gets different answers.
let numbers = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
let (first, count) = (numbers.first ?? 1, numbers.dropFirst().first ?? 100)
var compared = 0
var roads: [String: Int] = [:]
var shown: Set<String> = []
var (refused, views) = (0, 0)
var failing = 0
let shrinks = CommandLine.arguments.contains("shrink")
let isVerbose = CommandLine.arguments.contains("verbose")
let standing = Standing.allCases.first { CommandLine.arguments.contains($0.rawValue) }
let hazards = CommandLine.arguments.contains("plain") ? Hazards() : .all
if CommandLine.arguments.contains("steps") {
    print(Scenario(seed: first, standing: standing, hazards: hazards).description)
    exit(0)
}
for seed in first..<(first + count) {
    let run = try TwoWorlds.run(seed: seed, standing: standing, hazards: hazards)
    compared += run.comparedCount
    refused += run.refusedViews.count
    views += run.viewsCount
    shown.formUnion(run.shownRoads)
    if isVerbose {
        for view in run.refusedViews { print("refused: \(view.prefix(600))") }
        for step in run.divergences.prefix(2) { print("divergence in \(seed): \(step)") }
        for status in run.statuses.sorted(by: { $0.key < $1.key }) { print(status.key, status.value) }
    }
    if !run.differences.isEmpty { failing += 1 }
    for difference in run.differences {
        if roads[difference.road] == nil || isVerbose { print("seed \(seed): \(difference)\n") }
        if roads[difference.road] == nil, shrinks {
            let scenario = Scenario(seed: seed, standing: standing, hazards: hazards)
            print("SHRUNK \(difference.road)\n\(try scenario.shrunk(to: difference))\n")
        }
        roads[difference.road, default: 0] += 1
    }
}
for road in roads.sorted(by: { $0.key < $1.key }) { print(road.value, road.key) }
let missing = Road.all.filter { if case .differs = $0.control { !shown.contains($0.name) } else { false } }
print("no control: \(missing.map(\.name))")
print("\(count) seeds, \(failing) fail, \(compared) answers, \(refused) of \(views) views refused")
exit(roads.isEmpty ? 0 : 1)
