import Glibc
import HTTP
import Sockets
import Testing

/// A late answer is sent in the turn that gives it, at any point of the turn.
@Suite struct TurnTests {
    /// A handler that stores requests and answers them later.
    private final class Patient: Handler {
        var exchanges: [Exchange] = []

        func handle(_ request: borrowing Request, _ exchange: Exchange) -> Disposition {
            exchanges.append(exchange)
            return .here
        }

        func refuse(_ refusal: MessageFault, _ exchange: Exchange) {}

        func answerAll() {
            let due = exchanges
            exchanges = []
            for exchange in due { exchange.answer(.ok, nil, Array("late".utf8)) }
        }
    }

    /// A server whose turns the test runs, and its clients.
    private final class Stage {
        let loop: EventLoop
        let handler = Patient()
        let listener: ListeningSocket
        let server: Server
        let clients: [Int32]
        var isDue = false

        init(_ count: Int) throws {
            let listener = try ListeningSocket(host: "127.0.0.1", port: 0)
            self.listener = listener
            loop = try EventLoop()
            server = Server(on: loop, handler, in: Server.Group(), listener: listener)
            clients = (0..<count).map { _ in
                let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = listener.port.bigEndian
                address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
                _ = withUnsafePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                    }
                }
                return client
            }
            try server.begin(with: [server.peer])
            // A job at the end of each turn, after the server's own.
            loop.endings.append { [unowned self] in if isDue { handler.answerAll() } }
        }

        deinit {
            // The server accepts no connections any more, so its loop does not retain it.
            server.drain(over: 0) {}
            server.closeAll()
            listener.close()
            for client in clients { close(client) }
        }

        func ask(_ times: Int = 1) {
            let request = Array(String(repeating: "GET / HTTP/1.1\r\nHost: x\r\n\r\n", count: times).utf8)
            for client in clients { #expect(Glibc.send(client, request, request.count, 0) == request.count) }
            while handler.exchanges.count < clients.count { loop.turn() }
        }

        /// Returns the number of answers that a client has received.
        func answers(_ client: Int32) -> Int {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = recv(client, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            return String(decoding: buffer[..<max(0, count)], as: UTF8.self).split(
                separator: "late", omittingEmptySubsequences: false
            )
            .count - 1
        }
    }

    @Test func `an answer that a job gives is sent in the turn of the job`() throws {
        let stage = try Stage(100)
        stage.ask()
        let handler = Confined(stage.handler)
        stage.loop.post { handler.value.answerAll() }
        stage.loop.turn()
        #expect(stage.clients.map(stage.answers) == Array(repeating: 1, count: 100))
    }

    @Test func `an answer at the end of a turn is sent in that turn`() throws {
        let stage = try Stage(100)
        stage.ask()
        stage.isDue = true
        stage.loop.post {}
        stage.loop.turn()
        #expect(stage.clients.map(stage.answers) == Array(repeating: 1, count: 100))
    }

    @Test(arguments: [false, true])
    func `a request that waits for an earlier answer is handled as soon as that is sent`(_ isAtEnd: Bool) throws {
        let stage = try Stage(3)
        stage.ask(2)
        let handler = Confined(stage.handler)
        stage.isDue = isAtEnd
        stage.loop.post { if !isAtEnd { handler.value.answerAll() } }
        stage.loop.turn()
        #expect(stage.clients.map(stage.answers) == [1, 1, 1])
        stage.isDue = true
        stage.loop.post {}
        stage.loop.turn()
        #expect(stage.clients.map(stage.answers) == [1, 1, 1])
    }

    /// A value that only the test's thread accesses.
    private struct Confined<Value>: @unchecked Sendable {
        // Sendable because the thread that made the loop runs its turns.
        let value: Value

        init(_ value: Value) { self.value = value }
    }
}
