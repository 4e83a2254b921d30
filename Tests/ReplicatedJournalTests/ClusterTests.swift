import Ground
import Platform
import SQLiteJournal
import StateStore
import Testing

@testable import ReplicatedJournal
@testable import SimulatedCluster

struct ClusterTests {
    /// A cluster whose lanes are owned, and the results of calls.
    private final class Yard: @unchecked Sendable {
        // Sendable because a simulation runs on one thread.
        let cluster: SimulatedCluster
        var results: [String] = []

        init(seed: UInt64 = 7, copy: @escaping (Int) throws -> any JournalCopy = { _ in MemoryCopy() }) throws {
            cluster = try SimulatedCluster(seed: seed, registry: .roster(), copy: copy)
            cluster.world.run(for: .seconds(10))
        }

        func send(
            _ action: String = "enter", _ token: String = "t", to node: SimulatedNode, in space: SpaceName = .a,
            key: String? = nil, input: String? = nil
        ) {
            let input = input ?? #"{"token":"\#(token)"}"#
            let call = Call(feature: "roster", action: action, input: Array(input.utf8), key: key)
            node.perform(call, in: space) { result in
                switch result {
                case .success(let answer): self.results.append("\(answer.version)")
                case .failure(.elsewhere): self.results.append("elsewhere")
                case .failure(let refusal): self.results.append("\(refusal)")
                }
            }
        }

        func run(_ duration: Duration) { cluster.world.run(for: duration) }

        var texts: Set<String> { Set(cluster.nodes.map { RandomRun.text(of: $0.copy) }) }

        func others(than node: SimulatedNode) -> [SimulatedNode] { cluster.nodes.filter { $0 !== node } }
    }

    // Laws CL1 and CL2
    @Test func `the owner commits, all nodes have the commit, and another node refuses it`() throws {
        let yard = try Yard()
        let owner = try #require(yard.cluster.owner(of: .a))
        #expect(yard.cluster.nodes.filter { $0.journal.owns(.a) }.count == 1)
        yard.send(to: owner)
        for other in yard.others(than: owner) { yard.send(to: other) }
        yard.run(.seconds(1))
        #expect(yard.results.sorted() == ["1", "elsewhere", "elsewhere"])
        #expect(try yard.cluster.nodes.map { try $0.copy.load(.a)?.version } == [1, 1, 1])
        #expect(yard.texts.count == 1)
    }

    // Law CL3
    @Test func `while the outcome is unknown nothing is answered, and a stored commit is kept`() throws {
        let yard = try Yard()
        let owner = try #require(yard.cluster.owner(of: .a))
        owner.log.set(.answers)
        yard.send(to: owner)
        yard.run(.seconds(1))
        #expect(yard.results == [])
        #expect(yard.others(than: owner).allSatisfy { (try? $0.copy.load(.a))??.version == 1 })
        owner.log.set(.none)
        yard.run(.seconds(3))
        #expect(yard.results == ["1"])
    }

    // Laws CL2 and CL4
    @Test func `after another node's claim the commits under way are refused and never stored`() throws {
        let yard = try Yard()
        let owner = try #require(yard.cluster.owner(of: .a))
        owner.log.set(.both)
        yard.send(to: owner)
        yard.run(.seconds(9))
        let next = try #require(yard.others(than: owner).first { $0.journal.owns(.a) })
        yard.send(to: next)
        yard.run(.seconds(1))
        #expect(yard.results == ["1"])
        owner.log.set(.none)
        yard.run(.seconds(3))
        #expect(yard.results == ["1", "elsewhere"])
        #expect(yard.texts.count == 1)
    }

    // Law CL5
    @Test func `a node that reads a changed entry stops the lane and says so`() throws {
        let yard = try Yard()
        yard.send(to: try #require(yard.cluster.owner(of: .a)))
        yard.run(.seconds(1))
        let lane = Lane.of(.a, among: 3)
        yard.cluster.server.change(yard.cluster.server.entries(of: lane).count, of: lane) { $0[$0.count - 1] ^= 1 }
        try yard.cluster.replace(0)
        yard.run(.seconds(3))
        let node = yard.cluster.nodes[0]
        #expect(node.warnings.with { $0 }.contains { $0.contains("does not follow") })
        #expect(node.journal.status.lanes[lane]?.halt != nil)
        #expect(node.journal.status.faults.contains { $0.kind == .stopped })
        #expect(try node.copy.load(.a) == nil)
    }

    @Test func `fresh reads of a lane that has stopped end unanswered and leave nothing behind`() throws {
        let yard = try Yard()
        yard.send(to: try #require(yard.cluster.owner(of: .a)))
        yard.run(.seconds(1))
        let lane = Lane.of(.a, among: 3)
        let owner = try #require(yard.cluster.owner(of: .a))
        let index = try #require(yard.cluster.nodes.firstIndex { $0 !== owner })
        yard.cluster.server.change(yard.cluster.server.entries(of: lane).count, of: lane) { $0[$0.count - 1] ^= 1 }
        try yard.cluster.replace(index)
        yard.run(.seconds(3))
        let node = yard.cluster.nodes[index]
        let replica = try #require(node.journal.node.value.lanes[lane])
        #expect(replica.halt != nil)
        let answers = Lock<[Bool]>([])
        for _ in 0..<20 {
            node.journal.whenFresh(.a) { isFresh in answers.withLock { $0.append(isFresh) } }
            yard.run(.milliseconds(100))
        }
        yard.run(.seconds(2))
        #expect(answers.with { $0 } == Array(repeating: false, count: 20))
        #expect(replica.waiters.isEmpty)
    }

    // Law CL5
    @Test func `a log that has lost entries, or was made anew, stops the lane at the next connection`() throws {
        let yard = try Yard()
        yard.send(to: try #require(yard.cluster.owner(of: .a)))
        yard.run(.seconds(1))
        yard.cluster.server.lose(1, of: Lane.of(.a, among: 3))
        yard.cluster.server.makeAnew(.common)
        for node in yard.cluster.nodes {
            node.log.set(.both)
            node.log.set(.none)
        }
        yard.run(.seconds(15))
        for node in yard.cluster.nodes {
            #expect(node.warnings.with { $0 }.contains { $0.contains("the log ends at") })
            #expect(node.warnings.with { $0 }.contains { $0.contains("made anew") })
        }
    }

    // Law CL5
    @Test func `a lane that was repaired from a node goes on where the copies are equal`() throws {
        let yard = try Yard()
        let (server, lane) = (yard.cluster.server, Lane.of(.a, among: 3))
        yard.send(to: try #require(yard.cluster.owner(of: .a)))
        yard.run(.seconds(1))
        let number = yard.cluster.nodes[0].journal.status.lanes[lane]?.applied ?? 0
        server.repair(lane, after: number)
        for node in yard.cluster.nodes {
            node.log.set(.both)
            node.log.set(.none)
        }
        yard.run(.seconds(15))
        yard.send(to: try #require(yard.cluster.owner(of: .a)))
        yard.run(.seconds(5))
        #expect(yard.results == ["1", "2"])
        #expect(yard.cluster.nodes.allSatisfy { $0.journal.status.faults.isEmpty })
        #expect(yard.texts.count == 1)
        // A node that starts again finds the same lane.
        try yard.cluster.restart(1)
        yard.run(.seconds(15))
        #expect(yard.cluster.nodes[1].journal.status.faults.isEmpty)
    }

    // Law CL5
    @Test func `a leader that was cut off and ends too early for some seconds stops no lane`() throws {
        let yard = try Yard()
        let (server, lane) = (yard.cluster.server, Lane.of(.a, among: 3))
        let owner = try #require(yard.cluster.owner(of: .a))
        yard.send(to: owner)
        yard.run(.seconds(1))
        let entries = server.entries(of: lane)
        server.lose(1, of: lane)
        for node in yard.cluster.nodes {
            node.log.set(.both)
            node.log.set(.none)
        }
        yard.run(.seconds(5))
        _ = server.append(entries[entries.count - 1], to: lane, after: entries.count - 1)
        yard.send(to: owner)
        yard.run(.seconds(5))
        #expect(yard.results == ["1", "2"])
        #expect(yard.cluster.nodes.allSatisfy { $0.journal.status.faults.isEmpty })
        #expect(yard.texts.count == 1)
    }

    // Law CL1
    @Test func `a copy that starts again has the parts before an entry within its own batch`() throws {
        let yard = try Yard()
        let (server, lane) = (yard.cluster.server, Lane.of(.a, among: 3))
        let owner = try #require(yard.cluster.owner(of: .a))
        let index = try #require(yard.cluster.nodes.firstIndex { $0 === owner })
        // After the first part, an operator's entry comes before the second one.
        let before = server.entries(of: lane).count
        yard.send("fill", to: owner, input: #"{"bytes":600000}"#)
        while server.entries(of: lane).count == before { yard.run(.microseconds(10)) }
        let first = try LogEntry.decode(server.entries(of: lane)[before])
        #expect(first.entry.parts == 2)
        let mark = LogEntry(lane: lane, kind: .mark, term: 1, node: "init", batch: BatchID(first: 8, second: 9))
        _ = server.append(mark.encoded(after: first.chain).bytes, to: lane, after: before + 1)
        while server.entries(of: lane).count < before + 3 { yard.run(.microseconds(10)) }
        // The owner has stored the mark, and dies before it has stored the batch.
        try yard.cluster.restart(index)
        yard.run(.seconds(20))
        #expect(try yard.cluster.nodes.map { try $0.copy.load(.a)?.version } == [1, 1, 1])
        #expect(yard.texts.count == 1)
    }

    // Law CL7
    @Test func `a forgotten space has one new life on all nodes`() throws {
        let yard = try Yard()
        let owner = try #require(yard.cluster.owner(of: .a))
        yard.send(to: owner)
        yard.run(.seconds(1))
        let before = owner.journal.life(of: .a)
        let existed = Lock<[Bool]>([])
        for _ in 0..<2 {
            owner.executor.post {
                owner.stores[0].forget(.a) { result in existed.withLock { $0.append((try? result.get()) ?? false) } }
            }
            yard.run(.seconds(1))
        }
        #expect(existed.with { $0 } == [true, false])
        let lives = Set(yard.cluster.nodes.map { $0.journal.life(of: .a) })
        #expect(lives.count == 1 && lives != [before])
        #expect(yard.cluster.nodes.allSatisfy { (try? $0.copy.load(.a)) == .some(nil) })
        yard.send(to: owner)
        yard.run(.seconds(1))
        #expect(yard.results == ["1", "1"])
        #expect(yard.texts.count == 1)
        // A node that starts anew learns the life from the log, one that starts again from its copy.
        try yard.cluster.restart(1)
        try yard.cluster.replace(2)
        yard.run(.seconds(3))
        #expect(Set(yard.cluster.nodes.map { $0.journal.life(of: .a) }) == lives)
    }

    // Law CL8
    @Test func `effects run on the owner, and go on where the lane goes`() throws {
        let yard = try Yard()
        let owner = try #require(yard.cluster.owner(of: .a))
        yard.send("send", to: owner)
        yard.run(.seconds(1))
        #expect(owner.fetches.with { $0 } == 1)
        #expect(yard.others(than: owner).map { $0.fetches.with { $0 } } == [0, 0])
        owner.log.set(.both)
        yard.run(.seconds(9))
        #expect(yard.others(than: owner).map { $0.fetches.with { $0 } }.reduce(0, +) == 1)
        owner.log.set(.none)
        yard.run(.seconds(3))
        #expect(owner.fetches.with { $0 } == 0)
    }

    // Law CL4
    @Test func `a key that one owner has used is answered again by the next`() throws {
        let yard = try Yard()
        let owner = try #require(yard.cluster.owner(of: .a))
        yard.send(to: owner, key: "once")
        yard.run(.seconds(1))
        owner.kill()
        yard.run(.seconds(9))
        let next = try #require(yard.cluster.owner(of: .a))
        yard.send(to: next, key: "once")
        yard.run(.seconds(1))
        #expect(yard.results == ["1", "1"])
        #expect(try next.copy.load(.a)?.version == 1)
    }

    // Law CL1
    @Test func `a commit larger than an entry is applied when its last part is stored`() throws {
        let yard = try Yard()
        let owner = try #require(yard.cluster.owner(of: .a))
        yard.send("fill", to: owner, input: #"{"bytes":1500000}"#)
        yard.send(to: owner)
        yard.run(.seconds(1))
        #expect(yard.results == ["1", "2"])
        #expect(yard.texts.count == 1)
    }

    @Test func `a commit of more than 16 MiB is refused, and the space goes on`() throws {
        let yard = try Yard()
        let owner = try #require(yard.cluster.owner(of: .a))
        let limit = Facts.sizeLimit
        yard.send("fill", to: owner, input: #"{"bytes":\#(limit + 1)}"#)
        yard.send("fill", to: owner, input: #"{"bytes":\#(limit - 1_024)}"#)
        yard.run(.seconds(2))
        #expect(yard.results.count == 2 && yard.results.first?.hasPrefix("commitTooLarge") == true)
        #expect(yard.results.last == "1")
        #expect(yard.texts.count == 1)
    }

    // Law CL6
    @Test func `a draining node hands its lanes over and answers no fresh read meanwhile`() throws {
        let yard = try Yard()
        let owner = try #require(yard.cluster.owner(of: .a))
        #expect(owner.journal.isFresh(.a, common: .max) || !owner.journal.owns(.common))
        owner.journal.drain()
        yard.run(.seconds(2))
        #expect(owner.journal.isDrained)
        #expect(owner.journal.status.faults.map(\.kind) == [.draining])
        let next = try #require(yard.cluster.owner(of: .a))
        yard.send(to: next)
        yard.run(.seconds(1))
        #expect(yard.results == ["1"])
    }

    // Law CL2
    @Test func `nodes that hear of no lease ask the log before they claim a lane of another`() throws {
        let cluster = try SimulatedCluster(seed: 5, registry: .roster())
        for node in cluster.nodes { node.log.faults.hidesLeases = true }
        cluster.world.run(for: .seconds(120))
        let claims = cluster.nodes.map { $0.journal.status.claims }.reduce(0, +)
        #expect(claims >= 4 && claims < 20)
    }

    @Test func `a copy whose disk is full applies later and loses nothing`() throws {
        let yard = try Yard()
        let owner = try #require(yard.cluster.owner(of: .a))
        (owner.copy as? MemoryCopy)?.failApplications(3)
        yard.send(to: owner)
        yard.run(.milliseconds(500))
        #expect(yard.results == [])
        yard.run(.seconds(5))
        #expect(yard.results == ["1"])
        #expect(yard.texts.count == 1)
    }

    // Law CL1
    @Test func `copies in SQLite are equal too, and a node that starts again reads on`() throws {
        let scratch = try Scratch()
        let opened = Lock<[SQLiteJournal]>([])
        let yard = try Yard { index in
            let journal = try SQLiteJournal(directory: "\(scratch.path)/\(index)", durability: .none)
            opened.with { $0.append(journal) }
            return journal
        }
        for number in 0..<20 {
            for space in [SpaceName.a, .b] {
                guard let owner = yard.cluster.owner(of: space) else { continue }
                yard.send("enter", "t\(number)", to: owner, in: space, key: number % 2 == 0 ? "k\(number)" : nil)
            }
        }
        yard.run(.seconds(1))
        #expect(yard.results.count == 40)
        #expect(yard.texts.count == 1)
        let node = try #require(yard.cluster.owner(of: .a))
        let index = try #require(yard.cluster.nodes.firstIndex { $0 === node })
        node.executor.post { node.stores[0].forget(.a) { _ in } }
        yard.run(.seconds(1))
        node.kill()
        _ = opened.with { $0[index] }.close()
        try yard.cluster.restart(index)
        yard.run(.seconds(20))
        yard.send(to: try #require(yard.cluster.owner(of: .a)))
        yard.run(.seconds(1))
        #expect(yard.results.last == "1")
        #expect(yard.texts.count == 1)
        for journal in opened.with({ $0 }) { _ = journal.close() }
    }

    @Test func `entries that all nodes have applied are trimmed after the retention`() throws {
        let world = SimulatedWorld(seed: 3)
        let settings = ClusterSettings(identity: 1, lanes: 1, lifeBase: 0, digestKey: DigestKey(1, 1))
        let server = MemoryLogServer(world, settings)
        var timing = NodeTiming()
        timing.retention = .seconds(600)
        let node = try SimulatedNode("n1", server, settings, copy: MemoryCopy(), registry: .roster(), timing: timing)
        world.run(for: .seconds(10))
        node.perform(Call(feature: "roster", action: "enter", input: Array(#"{"token":"t"}"#.utf8)), in: .a) { _ in }
        world.run(for: .seconds(300))
        #expect(server.entries(of: Lane(0)).count > 2)
        world.run(for: .seconds(600))
        #expect(server.entries(of: Lane(0)).isEmpty)
        #expect(try node.copy.load(.a)?.version == 1)
    }
}
