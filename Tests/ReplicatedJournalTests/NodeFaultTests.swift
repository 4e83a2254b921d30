import Platform
import StateStore
import Testing

@testable import ReplicatedJournal
@testable import SimulatedCluster

/// The states in which a node does not answer everything, and how it leaves them.
@Suite struct NodeFaultTests {
    private let cluster: SimulatedCluster

    init() throws {
        cluster = try SimulatedCluster(seed: 11, registry: .roster()) { _ in MemoryCopy() }
    }

    private func run(_ duration: Duration) { cluster.world.run(for: duration) }

    private func kinds(_ node: SimulatedNode) -> [NodeFault.Kind] { node.journal.status.faults.map(\.kind) }

    /// Performs an action on the owner of a space, and returns the version in the answer, if there is one.
    private func act(_ token: String, within duration: Duration) throws -> Int? {
        let owner = try #require(cluster.owner(of: .a))
        let version = Lock<Int?>(nil)
        let call = Call(feature: "roster", action: "enter", input: Array(#"{"token":"\#(token)"}"#.utf8))
        owner.perform(call, in: .a) { result in version.with { $0 = try? result.get().version } }
        run(duration)
        return version.with { $0 }
    }

    // Law CL15
    @Test func `a node that has just begun is not ready before each lane has an owner`() throws {
        cluster.server.hasQuorum = false
        run(.seconds(1))
        for node in cluster.nodes {
            #expect(kinds(node).contains(.noLease) && kinds(node).contains(.unread))
        }
        cluster.server.hasQuorum = true
        run(.seconds(15))
        for node in cluster.nodes { #expect(kinds(node) == []) }
    }

    // Law CL15
    @Test func `servers without a majority hinder fresh reads and actions, and no reads of what the node has`() throws {
        run(.seconds(10))
        cluster.server.hasQuorum = false
        run(.seconds(15))
        for node in cluster.nodes {
            let faults = node.journal.status.faults
            #expect(faults.map(\.kind) == [.noLease])
            #expect(faults.allSatisfy { $0.hinders(.reads) && $0.hinders(.actions) && !$0.hinders(.near) })
            #expect(node.faults.with { $0 }.count == 1)
        }
        cluster.server.hasQuorum = true
        run(.seconds(15))
        for node in cluster.nodes {
            #expect(kinds(node) == [])
            #expect(node.faults.with { $0 }.last == "no-lease is over")
        }
    }

    // Law CL15
    @Test func `lanes without an owner are named by all nodes`() throws {
        run(.seconds(10))
        let lane = Lane.of(.a, among: 3)
        let owner = try #require(cluster.owner(of: .a))
        // The others cannot claim the lane either.
        for other in Lane.all(3) { cluster.server.full.insert(other) }
        owner.log.cannotMoveLeaders = true
        for node in cluster.nodes { node.log.cannotMoveLeaders = true }
        owner.kill()
        run(.seconds(25))
        for node in cluster.nodes where node.isRunning {
            let fault = try #require(node.journal.status.faults.first { $0.kind == .noOwner })
            #expect(fault.lanes.contains(lane) && fault.description.contains("no owner"))
        }
    }

    // Law CL16
    @Test func `a lane whose deliveries have stopped is followed anew`() throws {
        run(.seconds(10))
        let lane = Lane.of(.a, among: 3)
        let owner = try #require(cluster.owner(of: .a))
        for node in cluster.nodes where node !== owner { node.log.stall(lane) }
        #expect(try act("t", within: .seconds(1)) == 1)
        #expect(try cluster.nodes.compactMap { try $0.copy.load(.a)?.version } == [1])
        run(.seconds(6))
        #expect(try cluster.nodes.compactMap { try $0.copy.load(.a)?.version } == [1, 1, 1])
    }

    // Law CL16
    @Test func `a leader of the log without room is replaced`() throws {
        run(.seconds(10))
        let lane = Lane.of(.a, among: 3)
        cluster.server.full = [lane]
        #expect(try act("t", within: .seconds(10)) == 1)
        #expect(cluster.server.full == [])
    }

    // Law CL17
    @Test func `a second process with the name of a living node gets no lease`() throws {
        run(.seconds(10))
        let first = cluster.nodes[0]
        let twin = try SimulatedNode(
            first.name, cluster.server, cluster.settings, copy: MemoryCopy(), registry: .roster())
        run(.seconds(20))
        #expect(!twin.journal.status.hasLease && kinds(twin).contains(.nameTaken))
        #expect(first.journal.status.hasLease && kinds(first) == [])
        first.kill()
        run(.seconds(15))
        #expect(twin.journal.status.hasLease && !kinds(twin).contains(.nameTaken))
    }

    // Law CL17
    @Test func `a process that goes on with the directory of a killed one takes its name at once`() throws {
        run(.seconds(10))
        try cluster.restart(0)
        run(.seconds(1))
        #expect(cluster.nodes[0].journal.status.hasLease)
    }
}
