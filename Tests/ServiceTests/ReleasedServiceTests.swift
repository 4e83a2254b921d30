import Glibc
import HeadwaterServer
import Sockets
import Systems
import Testing

@Suite struct ReleasedServiceTests {
    /// The clock of a service. The loop of the service owns it.
    private final class StoppedClock: Sendable {
        let now: Int64 = 1_000_000_000
    }

    static let requests = [
        "GET /v1/spaces/main/changes?since=0&wait=10", "GET /v1/spaces/main/changes?events=1",
        "GET /v1/spaces/main/user/title", "GET /v1/spaces/main/user/title?events=1",
        "GET /v1/spaces/main/catalog/products?limit=2&events=1", "GET /v1/live?watch=main/user.title&events=1",
        "GET /metrics",
    ]

    @Test(arguments: requests, 0...3)
    func `a released service releases its loop, with the requests under way`(_ line: String, _ turns: Int) throws {
        weak var clock: StoppedClock?
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        let client = Socket(descriptor: ends[0])
        defer { client.close() }
        do {
            let owned = StoppedClock()
            clock = owned
            let service = try HandTurnedService(systems(), time: { owned.now }, seed: 1)
            service.take(Socket(descriptor: ends[1]))
            let request = Array("\(line) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
            let isSent = if case .moved(request.count) = client.write(request, from: 0) { true } else { false }
            #expect(isSent)
            for _ in 0..<turns { service.turn() }
            #expect(clock != nil)
        }
        #expect(clock == nil)
    }
}
