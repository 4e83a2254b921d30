import Foundation
import LogContract
import NATSServers
import ReplicatedJournal
import Testing

@testable import NATSLog

/// Servers that go away, and servers that refuse.
@Suite(.enabled(if: NATSServers.isInstalled, "\(NATSServers.absence)"), .timeLimit(.minutes(15)))
struct ReconnectionTests {
    /// Waits for the state of the connection.
    private func wait(_ log: NATSLog, until isConnected: Bool) async {
        let states = Received<Void>()
        let watch = log.watchConnection { if $0 == isConnected { states.add([()]) } }
        _ = await states.wait(for: 1)
        withExtendedLifetime(watch) {}
    }

    @Test func `a follower goes on without a gap after the server was killed`() async throws {
        let servers = try NATSServers()
        let cluster = try TestCluster(servers)
        let (writer, reader) = (try await cluster.log(), try await cluster.log())
        defer {
            writer.close()
            reader.close()
        }
        let received = Received<StoredEntry>()
        let following = reader.follow(Lane(0), after: 0, received)
        for number in 0..<20 { _ = try await writer.append([UInt8(number)], to: Lane(0), after: number) }
        _ = await received.wait(for: 20)
        servers.kill(0)
        await wait(writer, until: false)
        await wait(reader, until: false)
        let failure = await #expect(throws: LogFailure.self) {
            _ = try await writer.append([99], to: Lane(0), after: 20)
        }
        #expect(failure?.kind == .unreachable)
        let unasked = await #expect(throws: LogFailure.self) { _ = try await writer.ask("act.0", []) }
        #expect(unasked?.kind == .unserved)
        try servers.restart(0)
        await wait(writer, until: true)
        let last = try await writer.extent(of: Lane(0)).last
        #expect(last == 20)
        for number in 20..<40 { _ = try await writer.append([UInt8(number)], to: Lane(0), after: number) }
        let entries = await received.wait(for: 40)
        #expect(entries == (0..<40).map { StoredEntry(number: $0 + 1, bytes: [UInt8($0)]) })
        withExtendedLifetime(following) {}
    }

    @Test func `a service and a watch of leases go on, and the lost bucket is made anew`() async throws {
        let servers = try NATSServers()
        let cluster = try TestCluster(servers)
        let (one, other) = (try await cluster.log(), try await cluster.log())
        defer {
            one.close()
            other.close()
        }
        let seen = Received<StoredLease>()
        let watch = other.watchLeases { seen.add([$0]) }
        let service = other.serve("act.0") { body, reply in reply(body) }
        let first = try await one.renew(Lease(node: "A", instance: 1), after: nil)
        _ = await seen.wait(for: 1)
        servers.kill(0)
        await wait(one, until: false)
        try servers.restart(0)
        await wait(one, until: true)
        await wait(other, until: true)
        // The bucket is in memory: the lease is gone, and its revision is refused.
        let lost = try await one.lease(of: "A")
        #expect(lost == nil)
        await #expect(throws: LogFailure.self) {
            _ = try await one.renew(Lease(node: "A", instance: 1), after: first + 7)
        }
        _ = try await one.renew(Lease(node: "A", instance: 2), after: nil)
        let leases = await seen.wait(for: 2)
        #expect(leases.last?.lease.instance == 2)
        var answer: [UInt8]?
        // The service of the new connection becomes known a little later.
        _ = await eventually {
            answer = try? await one.ask("act.0", [7])
            return answer != nil
        }
        #expect(answer == [7])
        withExtendedLifetime([watch, service]) {}
    }

    @Test func `a wrong password is refused in words without it`() async throws {
        let servers = try NATSServers(settings: "authorization { user: hw, password: right-secret }")
        var settings = try TestCluster.settings(servers)
        settings.user = ("hw", "wrong-secret")
        let notices = Received<LogNotice>()
        let log = try NATSLog(settings) { notice in if case .refused = notice { notices.add([notice]) } }
        defer { log.close() }
        let words = await notices.wait(for: 1).first?.description ?? ""
        #expect(words.contains("refuses the user"))
        #expect(!words.contains("secret"))
        let fault = #expect(throws: ClusterFault.self) { try ClusterAdministration(settings) }
        #expect(fault?.description.contains("secret") == false)
        settings.user = ("hw", "right-secret")
        let administration = try ClusterAdministration(settings)
        defer { administration.close() }
        let isNew = try administration.initialize(lanes: 1, replicas: 1)
        #expect(isNew)
    }

    @Test func `a server before the oldest permitted one is refused, and its version named`() async throws {
        let servers = try NATSServers()
        var settings = try TestCluster.settings(servers)
        settings.acceptsOldServer = false
        // The greeting of the server decides which of the two outcomes is right.
        let server = try #require(settings.servers.first)
        let greeting = try #require(ServerGreeting.read(from: server, seconds: 60))
        let version = try #require(greeting.version)
        if version < ServerVersion.oldest {
            let fault = #expect(throws: ClusterFault.self) { try ClusterAdministration(settings) }
            #expect(fault?.description.contains("nats-server \(version)") == true)
            #expect(fault?.description.contains("2.12.3 or later") == true)
        } else {
            try ClusterAdministration(settings).close()
        }
    }

    @Test func `a server that permits small payloads only is refused`() throws {
        let servers = try NATSServers()
        var settings = try TestCluster.settings(servers)
        settings.neededPayload = 9 * 1_024 * 1_024
        let fault = #expect(throws: ClusterFault.self) { try ClusterAdministration(settings) }
        #expect(fault?.description.contains("max_payload") == true)
    }

    @Test func `a certificate that nobody vouches for is refused, and so is a missing one`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("headwater-\(UUID().uuidString)")
            .path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        openssl.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=elsewhere", "-keyout", "\(folder)/key", "-out", "\(folder)/certificate",
        ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        try #require(openssl.terminationStatus == 0)
        let servers = try NATSServers(
            settings: "tls { cert_file: \"\(folder)/certificate\", key_file: \"\(folder)/key\" }", scheme: "tls")
        let settings = try TestCluster.settings(servers)
        let fault = #expect(throws: ClusterFault.self) { try ClusterAdministration(settings) }
        #expect(fault?.description.contains("no TLS with") == true)
        var plain = settings
        plain.servers = try NATSServer.list(servers.url.replacingOccurrences(of: "tls://", with: "nats://"))
        let refusal = #expect(throws: ClusterFault.self) { try ClusterAdministration(plain) }
        #expect(refusal?.description.contains("needs TLS") == true)
    }
}
