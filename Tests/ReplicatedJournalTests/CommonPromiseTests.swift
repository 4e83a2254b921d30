import Platform
import Reactive
import StateStore
import Testing

@testable import ReplicatedJournal
@testable import SimulatedCluster

/// Law CL6 for `common`: a node that its owner has promised something answers fresh reads without a question, and no
/// answer to a commit of `common` comes before such a node has it or the promise is over.
@Suite struct CommonPromiseTests {
    private final class Yard: @unchecked Sendable {
        // Sendable because a simulation runs on one thread.
        let cluster: SimulatedCluster
        var results: [String] = []

        init() throws {
            cluster = try SimulatedCluster(seed: 11, registry: .roster()) { _ in MemoryCopy() }
            // Longer than the time after which lanes move to their best nodes.
            cluster.world.run(for: .seconds(100))
        }

        /// Returns true if a store of a node that shows a version of `common` needs no question.
        func isFresh(_ node: SimulatedNode, showing version: Int = 0) -> Bool {
            node.journal.isFresh(.common, common: version)
        }

        func run(_ duration: Duration) { cluster.world.run(for: duration) }

        func owner() throws -> SimulatedNode {
            let owner = cluster.owner(of: .common)
            return try #require(owner)
        }

        /// The node that owns `common` neither now nor after its owner, after a fresh read.
        func reader() throws -> SimulatedNode {
            let owner = try owner()
            let others = cluster.nodes.filter { $0 !== owner }
            let next = Placement.best(of: .common, among: others.map(\.name))
            let found = others.first { $0.name != next }
            let reader = try #require(found)
            let isFresh = Lock(false)
            reader.journal.whenFresh(.common) { value in isFresh.with { $0 = value } }
            for _ in 0..<1_000 where !isFresh.with({ $0 }) { run(.milliseconds(1)) }
            #expect(isFresh.with { $0 })
            return reader
        }

        func send(_ token: String, to node: SimulatedNode) {
            let call = Call(feature: "list", action: "enter", input: Array(#"{"token":"\#(token)"}"#.utf8))
            node.perform(call, in: .common) { result in
                self.results.append((try? result.get()).map { "\($0.version)" } ?? "refused")
            }
        }
    }

    @Test func `after a question fresh reads need none for half a second`() throws {
        let yard = try Yard()
        let reader = try yard.reader()
        var answers = [yard.isFresh(reader)]
        for pause in [400, 100] {
            yard.run(.milliseconds(pause))
            answers.append(yard.isFresh(reader))
        }
        #expect(answers == [true, true, false])
    }

    @Test func `a store that has not heard of a commit asks`() throws {
        let yard = try Yard()
        let reader = try yard.reader()
        yard.send("t", to: try yard.owner())
        yard.run(.milliseconds(50))
        #expect(yard.results == ["1"])
        #expect(try reader.copy.load(.common)?.version == 1)
        let answers = [0, 1].map { yard.isFresh(reader, showing: $0) }
        #expect(answers == [false, true])
    }

    @Test func `a commit is answered as soon as the reader has it`() throws {
        let yard = try Yard()
        let reader = try yard.reader()
        yard.send("t", to: try yard.owner())
        for _ in 0..<100 where yard.results.isEmpty {
            yard.run(.milliseconds(1))
            if !yard.results.isEmpty { #expect(try reader.copy.load(.common)?.version == 1) }
        }
        #expect(yard.results == ["1"])
    }

    @Test func `a reader that is cut off delays an answer until its promise is over`() throws {
        let yard = try Yard()
        let (owner, reader) = (try yard.owner(), try yard.reader())
        reader.log.set(.both)
        yard.send("t", to: owner)
        yard.run(.milliseconds(300))
        #expect(try owner.copy.load(.common)?.version == 1)
        var answers = [(yard.isFresh(reader), yard.results)]
        yard.run(.milliseconds(300))
        answers.append((yard.isFresh(reader), yard.results))
        #expect(answers.map(\.0) == [true, false] && answers.map(\.1) == [[], ["1"]])
    }

    @Test func `a new owner waits for the promises of the one before`() throws {
        let yard = try Yard()
        let (owner, reader) = (try yard.owner(), try yard.reader())
        owner.journal.drain()
        var next: SimulatedNode?
        for _ in 0..<5_000 where next == nil {
            // The last promise comes as late as possible.
            if owner.journal.owns(.common) { reader.journal.whenFresh(.common) { _ in } } else { reader.log.set(.both) }
            yard.run(.milliseconds(1))
            next = yard.cluster.owner(of: .common).flatMap { $0 === owner ? nil : $0 }
        }
        let name = next?.name
        #expect(name != nil && name != reader.name)
        if let next { yard.send("t", to: next) }
        var isAnsweredFresh = false
        for _ in 0..<2_000 where yard.results.isEmpty {
            yard.run(.milliseconds(1))
            if !yard.results.isEmpty { isAnsweredFresh = yard.isFresh(reader) }
        }
        #expect(yard.results == ["1"] && !isAnsweredFresh)
    }

    @Test func `a promise is for the versions after the one that it names`() {
        var promises = CommonPromises()
        let now = Instant(nanoseconds: 5_000_000_000)
        promises.begin(at: now)
        let later = now + CommonPromises.ownDuration
        #expect(promises.end(of: 1, at: now) == later && promises.end(of: 1, at: later) == nil)
        promises.promise(to: "A", after: 5, at: later)
        promises.hear(of: 3, by: "A")
        let end = later + CommonPromises.ownDuration
        #expect(promises.end(of: 5, at: later) == nil && promises.end(of: 6, at: later) == end)
        // A later promise does not end the earlier one; what the node has applied does.
        promises.promise(to: "A", after: 6, at: later + .milliseconds(100))
        promises.hear(of: 5, by: "A")
        #expect(promises.end(of: 6, at: later + .milliseconds(100)) == end)
        promises.promise(to: "A", after: 6, at: later + .milliseconds(200))
        promises.hear(of: 6, by: "A")
        #expect(promises.end(of: 6, at: later + .milliseconds(200)) == nil)
        #expect(promises.end(of: 7, at: later + .milliseconds(200)) == end + .milliseconds(200))
        promises.promise(to: "B", after: 9, at: end + .seconds(9))
        promises.hear(of: 9, by: "B")
        #expect(promises.end(of: 9, at: end + .seconds(9)) == nil)
    }

    @Test(arguments: [[], [0], [1, 65], [1, 65, 1], [1, 46, 1, 1], Array(repeating: 255, count: 40)] as [[UInt8]])
    func `bytes that are no question are none`(_ bytes: [UInt8]) {
        #expect(FreshQuestion(bytes) == nil)
        #expect(FreshQuestion(FreshQuestion(node: "A", applied: 7, common: 3).bytes)?.common == 3)
    }
}
