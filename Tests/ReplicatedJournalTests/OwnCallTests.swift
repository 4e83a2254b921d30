import Ground
import JSON
import StateStore
import Testing

@testable import ReplicatedJournal
@testable import SimulatedCluster

/// Effects that act in spaces of other owners.
struct OwnCallTests {
    /// A cluster, and two spaces with different owners.
    private struct Pair {
        let cluster: SimulatedCluster
        let home: SimulatedNode
        let away: SimulatedNode
        let target: SpaceName

        init(seed: UInt64 = 11) throws {
            let cluster = try SimulatedCluster(seed: seed, registry: .roster())
            // The lanes are divided among the nodes half a minute after the nodes know each other.
            cluster.world.run(for: .seconds(120))
            let owner = try #require(cluster.owner(of: .a))
            let spaces = (0..<50).compactMap { SpaceName("s\($0)") }
            let found = spaces.first { space in cluster.owner(of: space).map { $0 !== owner } ?? false }
            let target = try #require(found)
            away = try #require(cluster.owner(of: target))
            (self.cluster, home, self.target) = (cluster, owner, target)
        }

        /// Begins the effect of the space `a`.
        func visit() {
            let call = Call(feature: "roster", action: "visit", input: Array(#"{"token":"\#(target)"}"#.utf8))
            home.perform(call, in: .a) { _ in }
        }

        /// The versions of the target on all nodes.
        var versions: [Int] {
            get throws { try cluster.nodes.map { try $0.copy.load(target)?.version ?? 0 } }
        }

        /// True once the effect has noted its end.
        var isOver: Bool {
            get throws { try cluster.nodes.allSatisfy { try $0.copy.load(.a)?.version == 2 } }
        }
    }

    // Law CL8
    @Test func `an effect acts in a space of another owner`() throws {
        let pair = try Pair()
        pair.visit()
        pair.cluster.world.run(for: .seconds(2))
        #expect(try pair.versions == [1, 1, 1])
        #expect(try pair.isOver)
    }

    // Law CL8
    @Test(arguments: UInt64(1)...20)
    func `an effect acts once although requests and answers are lost`(_ seed: UInt64) throws {
        let pair = try Pair(seed: seed)
        pair.home.log.faults.lostRequest = 3
        pair.home.log.faults.lostAnswer = 2
        pair.visit()
        // Shorter than a lease: the next owner of the effect would begin it again.
        pair.cluster.world.run(for: .seconds(2))
        pair.home.log.faults = MemoryLog.Faults()
        pair.cluster.world.run(for: .seconds(20))
        #expect(try pair.versions == [1, 1, 1])
        #expect(try pair.isOver)
    }

    // Law CL8
    @Test func `an effect acts once although the other owner ends meanwhile`() throws {
        let pair = try Pair()
        pair.visit()
        pair.cluster.world.run(for: .milliseconds(5))
        pair.home.log.set(.answers)
        pair.cluster.world.run(for: .seconds(1))
        #expect(try pair.away.copy.load(pair.target)?.version == 1)
        pair.away.kill()
        pair.home.log.set(.none)
        pair.cluster.world.run(for: .seconds(40))
        let living = pair.cluster.nodes.filter(\.isRunning)
        #expect(try living.map { try $0.copy.load(pair.target)?.version ?? 0 } == [1, 1])
        #expect(try living.allSatisfy { try $0.copy.load(.a)?.version == 2 })
    }

    @Test func `no bytes of another node trap`() {
        let call = Call(feature: "roster", action: "enter", input: Array("{}".utf8), by: "ann").byEffect
        let bytes = ForwardedCall.bytes(of: call, key: "k", in: .a)
        let outcomes: [Result<Answer, Refusal>] = [
            .success(Answer(version: 3, changed: ["a.b"], result: [1], isReplay: true)), .failure(.elsewhere),
            .failure(.rejected(.conflict("no"))), .failure(.keyReused), .failure(.noSuchAction),
            .failure(.wrongSpace(.common)), .failure(.journal(JournalFailure(.outcomeUnknown, "?"))),
            .failure(.contended), .failure(.changed(version: 2)),
        ]
        for whole in [bytes] + outcomes.map({ OutcomeCoding.bytes(of: $0) }) {
            for end in whole.indices {
                _ = try? ForwardedCall(Array(whole[..<end]))
                _ = try? OutcomeCoding.outcome(Array(whole[..<end]))
                var changed = whole
                changed[end] ^= 0xFF
                _ = try? ForwardedCall(changed)
                _ = try? OutcomeCoding.outcome(changed)
            }
        }
        #expect((try? ForwardedCall(bytes))?.call.caller.isServer == true)
        #expect((try? ForwardedCall(bytes))?.call.key == "k")
        for outcome in outcomes {
            let read = try? OutcomeCoding.outcome(OutcomeCoding.bytes(of: outcome))
            switch (outcome, read) {
            case (.success(let one), .success(let other)?):
                #expect(one.version == other.version && one.isReplay == other.isReplay && one.result == other.result)
            case (.failure(.contended), .failure(.elsewhere)?), (.failure(.changed), .failure(.rejected)?): break
            case (.failure(let one), .failure(let other)?): #expect("\(one)" == "\(other)")
            default: Issue.record("\(outcome) became \(String(describing: read))")
            }
        }
    }
}
