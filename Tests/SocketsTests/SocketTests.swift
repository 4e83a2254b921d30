import Glibc
import Sockets
import Testing

@Suite struct SocketTests {
    // A program that another thread is starting has a copy of each descriptor until it runs.
    @Test func `the peer learns of an end while a copy of the descriptor is open`() throws {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        let (server, client) = (Socket(descriptor: ends[0]), Socket(descriptor: ends[1]))
        defer { client.close() }
        let copy = dup(server.descriptor)
        defer { close(copy) }
        _ = server.write(Array("bye".utf8))
        server.close()
        var room = [UInt8](repeating: 0, count: 8)
        guard case .moved(3) = room.withUnsafeMutableBytes({ client.read(into: $0) }),
            case .ended = room.withUnsafeMutableBytes({ client.read(into: $0) })
        else {
            Issue.record("the peer does not learn of the end")
            return
        }
    }
}
