import Ground
@testable import HTTP
import Platform
import Sockets
import Synchronization
import Testing

/// Requests that a process sends to a server of its own, without a socket.
@Suite struct RequestInProcessTests {
    /// A handler that answers `/here` and `/post`, streams at `/stream`, never answers `/never`, and sends `/there` to the
    /// other loop.
    private final class Host: Handler, StreamSource {
        let isThere: Bool
        let heartbeat = Piece(EventText.heartbeat)
        var pieces: [Piece] = []
        var connection: Connection?
        var hasLeft = false
        var departures: [Departure] = []

        init(isThere: Bool) { self.isThere = isThere }

        func handle(_ request: borrowing Request, _ exchange: Exchange) -> Disposition {
            if !isThere, request.target.hasPrefix("/there") { return .elsewhere(1) }
            switch request.target {
            case "/never": departures.append(exchange.departure)
            case "/stream":
                connection = exchange.connection
                exchange.stream(self, "text/event-stream")
            case "/post": exchange.answer(.ok, nil, request.content ?? [])
            default: exchange.answer(.ok, nil, Array((isThere ? "there" : "here \(exchange.peerAddress ?? "-")").utf8))
            }
            return .here
        }

        func refuse(_ refusal: MessageFault, _ exchange: Exchange) {
            exchange.answer(refusal.status, nil, Array(refusal.detail.utf8))
        }

        func next() -> Piece? { pieces.isEmpty ? nil : pieces.removeFirst() }
        func left() { hasLeft = true }
    }

    /// Two servers without a listener.
    private final class House {
        let loops: [EventLoop]
        let hosts = [Host(isThere: false), Host(isThere: true)]
        let servers: [Server]
        let group = Server.Group()

        init() throws {
            loops = [try EventLoop(), try EventLoop()]
            servers = [
                Server(on: loops[0], hosts[0], in: group, listener: nil),
                Server(on: loops[1], hosts[1], in: group, listener: nil),
            ]
            for server in servers { try server.begin(with: servers.map(\.peer)) }
        }

        deinit { for server in servers { server.closeAll() } }

        func turn() { for _ in 0..<4 { for loop in loops { loop.turn(waits: false) } } }

        var openCount: Int { group.connectionCount.load(ordering: .relaxed) }
    }

    /// A request, the pieces of its answer, and the number of its ends.
    private final class Asked {
        let answer = Lock<[[UInt8]]>([])
        let ends = Lock(0)
        let request: RequestInProcess

        init(_ text: String, limit: Int = .max) {
            request = RequestInProcess(
                Array(text.utf8), clientAddress: "192.0.2.7",
                received: { [answer] piece in
                    answer.with { answer in
                        answer.append(piece)
                        return answer.joined().count <= limit
                    }
                },
                ended: { [ends] in ends.with { $0 += 1 } })
        }

        var text: String { String(decoding: answer.with { Array($0.joined()) }, as: UTF8.self) }
        var content: String { text.split(separator: "\r\n\r\n", maxSplits: 1).last.map(String.init) ?? "" }
        var endCount: Int { ends.with { $0 } }
    }

    private static func get(_ target: String) -> String { "GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n" }

    @Test func `a request is answered for the address of its client, and its connection ends`() throws {
        let (house, asked) = (try House(), Asked(Self.get("/here")))
        house.servers[0].serve(asked.request)
        house.turn()
        #expect(asked.content == "here 192.0.2.7" && asked.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(asked.text.contains("Connection: close") && asked.endCount == 1 && house.openCount == 0)
    }

    @Test func `content arrives whole, also in chunks`() throws {
        let body = String(repeating: "x", count: 300_000)
        let fields = "POST /post HTTP/1.1\r\nHost: x\r\n"
        for text in [
            "\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)",
            "\(fields)Transfer-Encoding: chunked\r\n\r\n493e0\r\n\(body)\r\n0\r\n\r\n",
        ] {
            let (house, asked) = (try House(), Asked(text))
            house.servers[0].serve(asked.request)
            house.turn()
            #expect(asked.content == body && asked.endCount == 1 && house.openCount == 0)
        }
    }

    @Test func `a request moves to the loop that it belongs to`() throws {
        let (house, asked) = (try House(), Asked(Self.get("/there")))
        house.servers[0].peer.serve(asked.request)
        house.turn()
        #expect(asked.content == "there" && asked.endCount == 1 && house.openCount == 0)
    }

    @Test func `bytes that are no request are refused`() throws {
        let (house, asked) = (try House(), Asked("no request\r\n\r\n"))
        house.servers[0].serve(asked.request)
        house.turn()
        #expect(asked.text.hasPrefix("HTTP/1.1 400 ") && asked.endCount == 1 && house.openCount == 0)
    }

    @Test(arguments: ["/never", "/there/never"])
    func `a request that its sender ends is over, also on its way to another loop`(_ target: String) throws {
        let (house, asked) = (try House(), Asked(Self.get(target)))
        house.servers[0].serve(asked.request)
        // The request of the other loop is on its way there now.
        asked.request.close()
        asked.request.close()
        house.turn()
        #expect(asked.text.isEmpty && asked.endCount == 1 && house.openCount == 0)
        #expect(house.hosts.map { $0.departures.map(\.isNoted) } == (target == "/never" ? [[true], []] : [[], []]))
    }

    @Test func `a request that its sender ends before it is served is never handled`() throws {
        let (house, asked) = (try House(), Asked(Self.get("/stream")))
        asked.request.close()
        house.servers[0].peer.serve(asked.request)
        house.turn()
        #expect(house.hosts[0].connection == nil && asked.endCount == 1 && house.openCount == 0)
    }

    @Test func `a stream goes on until its sender ends it`() throws {
        let (house, asked) = (try House(), Asked("GET /stream HTTP/1.0\r\n\r\n"))
        let host = house.hosts[0]
        host.pieces = [Piece(Array("one ".utf8))]
        house.servers[0].serve(asked.request)
        #expect(asked.content == "one ")
        for word in ["two ", "three "] {
            host.pieces = [Piece(Array(word.utf8), isNewest: true)]
            host.connection?.wake()
        }
        #expect(asked.content == "one two three " && asked.endCount == 0 && house.openCount == 1)
        asked.request.close()
        house.turn()
        #expect(host.hasLeft && asked.endCount == 1 && house.openCount == 0)
    }

    @Test func `an answer that nobody wants ends the request`() throws {
        let (house, asked) = (try House(), Asked(Self.get("/here"), limit: 10))
        house.servers[0].serve(asked.request)
        house.turn()
        #expect(asked.endCount == 1 && house.openCount == 0)
    }

    @Test func `the end of the server waits for a request, and ends a stream`() throws {
        let house = try House()
        let (stream, never) = (Asked("GET /stream HTTP/1.0\r\n\r\n"), Asked(Self.get("/never")))
        for asked in [stream, never] { house.servers[0].serve(asked.request) }
        var drained = 0
        house.servers[0].drain(over: 0) { drained += 1 }
        house.turn()
        #expect(stream.endCount == 1 && never.endCount == 0 && drained == 0)
        never.request.close()
        house.turn()
        #expect(never.endCount == 1 && drained == 1)
    }
}
