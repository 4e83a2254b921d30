import Ground
import LogContract
import NATSServers
import ReplicatedJournal

@testable import NATSLog

/// A cluster on servers of a test.
struct TestCluster {
    let settings: NATSSettings

    /// Makes a cluster. Servers of any version are good for tests of one copy.
    init(
        _ servers: NATSServers, _ name: String = "t", lanes: Int = 3, replicas: Int = 1, slowness: Int = 20
    ) throws {
        settings = try Self.settings(servers, name, slowness: slowness)
        let administration = try ClusterAdministration(settings)
        defer { administration.close() }
        _ = try administration.initialize(lanes: lanes, replicas: replicas)
    }

    /// Settings for servers of a test. With a slowness of 20 no time limit ends a call on a busy machine.
    static func settings(
        _ servers: NATSServers, _ name: String = "t", slowness: Int = 20
    ) throws -> NATSSettings {
        var settings = NATSSettings(servers: try NATSServer.list(servers.url), cluster: name, name: "test")
        settings.acceptsOldServer = true
        settings.slowness = slowness
        return settings
    }

    /// A connected log of a node.
    func log(_ notices: Received<LogNotice> = Received()) async throws -> NATSLog {
        let log = try NATSLog(settings) { notices.add([$0]) }
        let states = Received<Void>()
        let watch = log.watchConnection { isConnected in if isConnected { states.add([()]) } }
        _ = await states.wait(for: 1)
        withExtendedLifetime(watch) {}
        return log
    }
}
