import LogContract
import NATSServers
import ReplicatedJournal
import Testing

@testable import NATSLog

@Suite(.enabled(if: NATSServers.isInstalled, "\(NATSServers.absence)"), .serialized, .timeLimit(.minutes(15)))
struct AdministrationTests {
    private static let servers = Result { try NATSServers() }

    private func administration(_ name: String) throws -> ClusterAdministration {
        try ClusterAdministration(try TestCluster.settings(try Self.servers.get(), name))
    }

    @Test func `a cluster is made once, and a second time nothing is done`() async throws {
        let administration = try administration("twice")
        defer { administration.close() }
        #expect(try administration.initialize(lanes: 3, replicas: 1))
        #expect(try administration.initialize(lanes: 3, replicas: 1) == false)
        let log = try await TestCluster(try Self.servers.get(), "twice", lanes: 3).log()
        defer { log.close() }
        let first = try #require(try await log.entry(1, of: .common))
        #expect(try await log.entry(2, of: .common) == nil)
        let entry = try LogEntry.decode(first).entry
        #expect(entry.kind == .settings)
        #expect(try ClusterSettings(bytes: entry.content).lanes == 3)
    }

    @Test func `other lanes are refused`() throws {
        let administration = try administration("lanes")
        defer { administration.close() }
        _ = try administration.initialize(lanes: 2, replicas: 1)
        let fault = #expect(throws: ClusterFault.self) { try administration.initialize(lanes: 4, replicas: 1) }
        #expect(fault?.description.contains("has 2 lanes, not 4") == true)
    }

    @Test func `an init that was broken off goes on`() async throws {
        let settings = try TestCluster.settings(try Self.servers.get(), "broken")
        let log = try await TestCluster(try Self.servers.get(), "other").log()
        defer { log.close() }
        let session = try #require(log.session)
        let names = LaneNames("broken")
        _ = try Awaited.success {
            session.ask(
                "STREAM.CREATE.\(names.stream(of: Lane(1)))",
                names.settings(of: Lane(1), ClusterMark(lanes: 2, replicas: 1)), $0)
        }
        let administration = try ClusterAdministration(settings)
        defer { administration.close() }
        #expect(try administration.initialize(lanes: 2, replicas: 1))
        #expect(try administration.report().lanes == 2)
    }

    @Test func `more copies than servers are refused in words`() throws {
        let administration = try administration("copies")
        defer { administration.close() }
        let fault = #expect(throws: ClusterFault.self) { try administration.initialize(lanes: 2, replicas: 3) }
        #expect(fault?.description.contains("--replicas 1 for a trial") == true)
    }

    @Test func `a cluster that nobody made is told so`() throws {
        let administration = try administration("absent")
        defer { administration.close() }
        let faults = [
            #expect(throws: ClusterFault.self) { try administration.report() },
            #expect(throws: ClusterFault.self) { try administration.drain("A") },
            #expect(throws: ClusterFault.self) { try administration.repair(Lane(0), from: "A") },
        ]
        for fault in faults { #expect(fault?.description.contains("run headwater cluster init") == true) }
    }

    @Test func `a report has the leases of all nodes`() async throws {
        let cluster = try TestCluster(try Self.servers.get(), "report", lanes: 2)
        let log = try await cluster.log()
        defer { log.close() }
        let administration = try administration("report")
        defer { administration.close() }
        #expect(try administration.report().nodes.isEmpty)
        _ = try await log.renew(Lease(node: "B", instance: 1, address: "http://b", owned: [.common]), after: nil)
        _ = try await log.renew(Lease(node: "A", instance: 2, state: .draining, owned: [Lane(1)]), after: nil)
        let report = try administration.report()
        #expect(report.nodes.map(\.lease.node) == ["A", "B"])
        #expect(report.nodes.map(\.lease.state) == [.draining, .alive])
        #expect(report.lines.last == "without an owner: 0")
    }

    @Test func `a node is asked to drain, and an absent one is told`() async throws {
        let cluster = try TestCluster(try Self.servers.get(), "drain")
        let log = try await cluster.log()
        defer { log.close() }
        let asked = Received<Void>()
        let service = log.serve("drain.A") { body, reply in
            if body.isEmpty { asked.add([()]) }
            reply(Array("ok".utf8))
        }
        // The server takes both calls of one connection in their order: the service is known from here on.
        _ = try await log.ask("drain.A", [0])
        let administration = try administration("drain")
        defer { administration.close() }
        try administration.drain("A")
        #expect(asked.values.count == 1)
        let fault = #expect(throws: ClusterFault.self) { try administration.drain("B") }
        #expect(fault?.description == "no node B is connected to the cluster drain")
        #expect(throws: ClusterFault.self) { try administration.drain("B.*") }
        withExtendedLifetime(service) {}
    }

    @Test func `a repaired lane goes on after the last entry of the node`() async throws {
        let cluster = try TestCluster(try Self.servers.get(), "repair")
        let log = try await cluster.log()
        defer { log.close() }
        for number in 0..<5 { _ = try await log.append([UInt8(number)], to: Lane(1), after: number) }
        let before = try await log.extent(of: Lane(1)).identity
        let service = log.serve("position.A") { body, reply in
            reply(Array((body == Array("1".utf8) ? "3" : "?").utf8))
        }
        // The server takes both calls of one connection in their order: the service is known from here on.
        _ = try await log.ask("position.A", [])
        let administration = try administration("repair")
        defer { administration.close() }
        #expect(throws: ClusterFault.self) { try administration.repair(Lane(0), from: "A") }
        #expect(throws: ClusterFault.self) { try administration.repair(Lane(9), from: "A") }
        do {
            let (kept, had) = try administration.repair(Lane(1), from: "A")
            #expect(kept == 3 && had == 5)
        } catch {
            // Servers before 2.10 begin every stream at 1.
            #expect(error.description.contains("too old"))
            return
        }
        let extent = try await log.extent(of: Lane(1))
        #expect(extent.first == 4 && extent.last == 3 && extent.identity != before)
        #expect(try await log.append([9], to: Lane(1), after: 3) == 4)
        withExtendedLifetime(service) {}
    }
}
