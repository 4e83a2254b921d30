import LogContract
import NATSServers
import Synchronization
import Testing

@testable import NATSLog

/// The contract of shared logs, on a real server.
@Suite(.enabled(if: NATSServers.isInstalled, "\(NATSServers.absence)"), .serialized)
struct ContractOnServerTests {
    /// One server for all articles; each has a cluster of its own.
    private static let servers = Result { try NATSServers() }
    private static let count = Mutex(0)

    @Test(.timeLimit(.minutes(15)), arguments: LogContract.all)
    func `the log in NATS JetStream keeps the contract`(_ article: LogContract) async throws {
        let number = Self.count.withLock { count in
            count += 1
            return count
        }
        let cluster = try TestCluster(try Self.servers.get(), "contract-\(number)")
        let (one, other) = (try await cluster.log(), try await cluster.log())
        defer {
            one.close()
            other.close()
        }
        try await article.check(one, other)
    }
}
