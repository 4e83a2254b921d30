import Glibc
@testable import HTTP
import Sockets
import Synchronization
import Testing

/// A connection moves to the loop that its request belongs to, unless the connection has ended.
@Suite struct MovingTests {
    /// A handler that answers `/here` and sends `/there` to the other loop.
    private final class Usher: Handler {
        var isThere = false
        /// Called before a connection moves.
        var before: () -> Void = {}

        func handle(_ request: borrowing Request, _ exchange: Exchange) -> Disposition {
            if !isThere, request.target.hasPrefix("/there") {
                before()
                return .elsewhere(1)
            }
            exchange.answer(.ok, nil, Array((isThere ? "there" : "here").utf8))
            return .here
        }

        func refuse(_ refusal: MessageFault, _ exchange: Exchange) {}
    }

    /// Two servers with one listener, the first of which accepts the connections, and a client.
    private final class House {
        let loops: [EventLoop]
        let ushers = [Usher(), Usher()]
        let servers: [Server]
        let group = Server.Group()
        let listener: ListeningSocket
        let client: Int32

        init() throws {
            listener = try ListeningSocket(host: "127.0.0.1", port: 0)
            loops = [try EventLoop(), try EventLoop()]
            servers = [
                Server(on: loops[0], ushers[0], in: group, listener: listener),
                Server(on: loops[1], ushers[1], in: group, listener: nil),
            ]
            ushers[1].isThere = true
            client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = listener.port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let isConnected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            try #require(isConnected)
            for server in servers { try server.begin(with: servers.map(\.peer)) }
            loops[0].turn()
        }

        deinit {
            for server in servers {
                server.drain(over: 0) {}
                server.closeAll()
            }
            listener.close()
            close(client)
        }

        func send(_ targets: String...) {
            let text = targets.map { "GET \($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined()
            #expect(Glibc.send(client, text, text.utf8.count, 0) == text.utf8.count)
        }

        /// Runs the jobs of the other loop.
        func turnThere() {
            loops[1].post {}
            loops[1].turn()
        }
    }

    @Test func `earlier answers are sent before the connection moves`() throws {
        let house = try House()
        house.send("/here", "/there")
        house.loops[0].turn()
        house.turnThere()
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = recv(house.client, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        let answers = String(decoding: buffer[..<max(0, count)], as: UTF8.self).split(separator: "\r\n\r\n").dropFirst()
            .map {
                $0.prefix(4)
            }
        #expect(answers == ["here", "ther"])
        #expect(house.servers.map(\.connectionCount) == [0, 1])
    }

    @Test func `a connection that ended meanwhile does not move, and is closed once`() throws {
        let house = try House()
        house.ushers[0].before = { [client = house.client] in
            // A reset, so that sending to the client fails.
            var now = linger(l_onoff: 1, l_linger: 0)
            setsockopt(client, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
            let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
            dup2(nothing, client)
            close(nothing)
        }
        house.send("/here", "/there")
        house.loops[0].turn()
        house.turnThere()
        #expect(house.servers.map(\.connectionCount) == [0, 0])
        // Closing it twice would count it twice, and could close another socket that has its descriptor by then.
        #expect(house.group.connectionCount.load(ordering: .relaxed) == 0)
    }
}
