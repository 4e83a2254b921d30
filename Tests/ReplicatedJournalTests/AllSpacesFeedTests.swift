import Ground
import SQLiteJournal
import StateStore
import Testing

@testable import ReplicatedJournal
@testable import SimulatedCluster

/// The commits of all spaces, read on one node and then on another.
struct AllSpacesFeedTests {
    /// Three nodes that have applied the entries of different lanes in different orders.
    private final class Yard: @unchecked Sendable {
        // Sendable because a simulation runs on one thread.
        let cluster: SimulatedCluster
        let scratch: Scratch
        private var opened: [SQLiteJournal] = []

        init(seed: UInt64) throws {
            let (scratch, opened) = (try Scratch(), Lock<[SQLiteJournal]>([]))
            self.scratch = scratch
            cluster = try SimulatedCluster(seed: seed, registry: .roster()) { index in
                let journal = try SQLiteJournal(directory: "\(scratch.path)/\(index)", durability: .none)
                opened.with { $0.append(journal) }
                return journal
            }
            cluster.world.run(for: .seconds(10))
            for round in 0..<6 {
                // One node hears of nothing for a while, and then catches up lane by lane.
                let node = cluster.nodes[round % 3]
                let isOwner = Self.spaces.contains { cluster.owner(of: $0) === node }
                if !isOwner || round > 3 { node.log.set(.answers) }
                act(round)
                cluster.world.run(for: .seconds(1))
                node.log.set(.none)
                cluster.world.run(for: .seconds(12))
            }
            self.opened = opened.with { $0 }
        }

        deinit {
            for journal in opened { _ = journal.close() }
        }

        static let spaces = (0..<7).compactMap { SpaceName("s\($0)") }

        private func act(_ round: Int) {
            for number in 0..<4 {
                for space in Self.spaces {
                    let call = Call(
                        feature: "roster", action: "enter", input: Array(#"{"token":"t\#(round) \#(number)"}"#.utf8))
                    cluster.owner(of: space)?.perform(call, in: space) { _ in }
                }
            }
            if round == 2, let owner = cluster.owner(of: Self.spaces[0]) {
                owner.executor.post { owner.stores[0].forget(Self.spaces[0]) { _ in } }
            }
        }

        /// Reads to the end, three rows at a time.
        func rows(
            of node: SimulatedNode, after cursor: JournalCursor?
        ) throws -> (rows: [AllCommits.Row], end: JournalCursor) {
            var (rows, cursor) = ([AllCommits.Row](), cursor)
            while true {
                guard case .rows(let page, let end, let isWhole) = try node.journal.readAll(after: cursor, limit: 3)
                else {
                    Issue.record("the commits are gone")
                    return (rows, JournalCursor(place: 0, begun: 0))
                }
                rows += page
                cursor = end
                if isWhole { return (rows, end) }
            }
        }

        static func text(_ row: AllCommits.Row) -> String {
            switch row.event {
            case .commit(let record): "\(record.space) \(record.version)"
            case .forgotten(let space): "\(space) forgotten"
            case .damaged(let space): "\(space) damaged"
            }
        }
    }

    // Law CL9
    @Test(arguments: UInt64(1)...4)
    func `a reader goes on at any node, and misses and repeats nothing`(_ seed: UInt64) throws {
        let yard = try Yard(seed: seed)
        let all = try yard.cluster.nodes.map { try yard.rows(of: $0, after: nil) }
        let texts = all.map { $0.rows.map(Yard.text) }
        #expect(texts[0].count > 100)
        #expect(Set(texts.map { Set($0) }).count == 1)
        for text in texts { #expect(Set(text).count == text.count) }
        // Within a lane all nodes have the same order.
        for lane in Lane.all(3) {
            let orders = all.map { feed in
                feed.rows.filter { yard.cluster.nodes[0].journal.status.lane(of: Self.space(of: $0)) == lane }.map(
                    Yard.text)
            }
            #expect(Set(orders).count == 1)
        }
        for (index, one) in yard.cluster.nodes.enumerated() {
            for other in yard.cluster.nodes where other !== one {
                for place in stride(from: 0, to: all[index].rows.count, by: 11) {
                    let cursor = JournalCursor(shares: all[index].rows[place].cursor.shares)
                    let rest = try yard.rows(of: other, after: cursor).rows.map(Yard.text)
                    #expect((texts[index][...place] + rest).sorted() == texts[index].sorted())
                }
                let end = JournalCursor(shares: all[index].end.shares)
                let (nothing, reached) = try yard.rows(of: other, after: end)
                #expect(nothing.isEmpty && reached.isAt(end))
            }
        }
    }

    @Test func `nodes have different orders, or these tests would show nothing`() throws {
        let orders = try (UInt64(1)...4).flatMap { seed in
            let yard = try Yard(seed: seed)
            return try yard.cluster.nodes.map { try yard.rows(of: $0, after: nil).rows.map(Yard.text) }
        }
        #expect(Set(orders).count > 4)
    }

    @Test func `a cursor with another number of lanes, or of one machine, is gone`() throws {
        let yard = try Yard(seed: 1)
        let journal = yard.cluster.nodes[0].journal
        for cursor in [JournalCursor(shares: [0, 0]), JournalCursor(place: 3, begun: 3)] {
            guard case .gone(let oldest) = try journal.readAll(after: cursor, limit: 3) else {
                Issue.record("\(cursor) is taken")
                continue
            }
            #expect(oldest.shares == [0, 0, 0, 0])
        }
        let largest = JournalCursor(shares: [.max, .max, .max, .max])
        #expect(try yard.rows(of: yard.cluster.nodes[0], after: largest).rows.isEmpty)
    }

    private static func space(of row: AllCommits.Row) -> SpaceName {
        switch row.event {
        case .commit(let record): record.space
        case .forgotten(let space), .damaged(let space): space
        }
    }
}
