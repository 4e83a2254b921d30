import Testing

@testable import Reactive

/// Law CALM17: what differs is found in slices, while transactions write the table.
@Suite struct TableDifferenceTests {
    private static func rows(_ count: Int, _ random: inout Dice) -> [Int: Int] {
        var rows: [Int: Int] = [:]
        for key in 0..<count where Int.random(in: 0..<10, using: &random) > 0 {
            rows[key] = Int.random(in: 0..<3, using: &random)
        }
        return rows
    }

    private static func differing(_ one: [Int: Int], _ other: [Int: Int]) -> Set<Int> {
        Set(one.keys).union(other.keys).filter { one[$0] != other[$0] }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `the keys that differ are found, whatever was written meanwhile`(_ seed: UInt64) throws {
        var random = Dice(seed: seed)
        let graph = Graph()
        let (present, other) = (Self.rows(7_000, &random), Self.rows(8_000, &random))
        let table = Table<Int, Int>(present)
        let difference = TableDifference(of: table, from: other)
        let build = RowBuild(in: graph)
        build.begin { difference.buildInSlices(of: build) {} }
        #expect(!build.isComplete && difference.keys == nil)
        var written: Set<Int> = []
        func write() {
            let isKept = Bool.random(using: &random)
            let transaction = graph.draft()
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                let key = Int.random(in: 0..<9_000, using: &random)
                transaction[table, key] = Bool.random(using: &random) ? Int.random(in: 0..<3, using: &random) : nil
                written.insert(key)
            }
            if isKept { graph.publish() } else { graph.discard() }
        }
        while !build.isComplete {
            if seed > 0, Int.random(in: 0..<3, using: &random) == 0 { write() }
            build.takeSlice()
        }
        let exact = Self.differing(table.rows, other)
        let found = try #require(difference.keys)
        #expect(exact.isSubset(of: found) && found.isSubset(of: exact.union(written)))
        if seed == 0 { #expect(found == exact) }
        write()
        #expect(Self.differing(table.rows, other).isSubset(of: difference.keys ?? []))
        difference.detach()
        #expect(table.followers.isEmpty && difference.keys == nil)
        graph.checkInvariants()
    }

    @Test(arguments: [0, 3, 100])
    func `nothing is said of a table that was emptied at once`(_ slices: Int) {
        let graph = Graph()
        let rows = Dictionary(uniqueKeysWithValues: (0..<6_000).map { ($0, $0) })
        let table = Table<Int, Int>(rows)
        let difference = TableDifference(of: table, from: rows)
        let build = RowBuild(in: graph)
        build.begin { difference.buildInSlices(of: build) {} }
        for _ in 0..<slices where !build.isComplete { build.takeSlice() }
        graph.commit { $0.removeAll(of: table) }
        build.finish()
        #expect(difference.keys == nil && difference.followed == nil && table.followers.isEmpty)
    }
}
