import Testing
import TwoWorlds

/// Services that differ in nothing but what a caller may not read. `Scripts/worlds` runs more seeds.
@Suite struct TwoWorldsTests {
    // Law ID9
    @Test func `a caller gets the same from two worlds that differ in what it may not read`() throws {
        let runs = try Self.seeds.map { try TwoWorlds.run(seed: $0) }
        for (seed, run) in zip(Self.seeds, runs) {
            for difference in run.differences { Issue.record("seed \(seed): \(difference)") }
        }
        let shown = runs.reduce(into: Set<String>()) { $0.formUnion($1.shownRoads) }
        let unseen = Road.all.filter { if case .differs = $0.control { !shown.contains($0.name) } else { false } }
        #expect(unseen.isEmpty, "a caller who may read sees no difference on \(unseen.map(\.name))")
        #expect(runs.allSatisfy { $0.comparedCount > 0 })
    }

    /// Few seeds that together show a difference on every road to a caller who may read.
    private static let seeds: [UInt64] = [1, 2, 6, 9, 10]
}
