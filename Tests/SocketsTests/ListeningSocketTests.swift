import Glibc
import Testing

@testable import Sockets

/// Law CALM10: a listening socket that a supervisor holds outlives the server.
struct ListeningSocketTests {
    private func connects(to port: UInt16) -> Bool {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(client) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    @Test func `a connection that comes after the end of a server waits for the next one`() throws {
        let supervisor = try ListeningSocket(host: "127.0.0.1", port: 0)
        defer { supervisor.close() }
        let first = try ListeningSocket(inherited: dup(supervisor.descriptor))
        #expect(first.port == supervisor.port && first.address == "127.0.0.1")
        first.refuseAll()
        first.close()
        #expect(connects(to: supervisor.port))
        let next = try ListeningSocket(inherited: dup(supervisor.descriptor))
        defer { next.close() }
        guard case .socket = next.accept() else {
            Issue.record("no connection waits")
            return
        }
        // A socket of its own refuses clients at its end.
        supervisor.refuseAll()
        #expect(!connects(to: supervisor.port))
    }

    @Test func `a descriptor that is no listening socket is refused`() throws {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(client) }
        #expect(throws: SystemFailure.self) { try ListeningSocket(inherited: client) }
        #expect(throws: SystemFailure.self) { try ListeningSocket(inherited: 9_999) }
    }
}
