import Glibc
@testable import HTTP
import Sockets
import Testing

/// A request that cannot be decided yet is handled when it can be, and the requests after it wait.
@Suite struct PutOffTests {
    /// A handler that puts off each request for `/late` until `decide`, and answers with the target.
    private final class Judge: Handler {
        var undecided: [@Sendable () -> Void] = []
        private(set) var handled: [String] = []

        func handle(_ request: borrowing Request, _ exchange: Exchange) -> Disposition {
            guard exchange.waitOutcome != nil || !request.target.hasPrefix("/late") else {
                return .later { [self] end in undecided.append { end(true) } }
            }
            handled.append(String(request.target))
            exchange.answer(.ok, nil, Array("<\(request.target)>".utf8))
            return .here
        }

        func refuse(_ refusal: MessageFault, _ exchange: Exchange) {
            exchange.answer(refusal.status, nil, Array("<refused>".utf8))
        }

        func decide() {
            let now = undecided
            undecided = []
            for resume in now { resume() }
        }
    }

    /// A server whose turns the test runs, and a client.
    private final class Court {
        let loop: EventLoop
        let judge = Judge()
        let server: Server
        let client: StreamStage.Peer
        private let listener: ListeningSocket

        init() throws {
            listener = try ListeningSocket(host: "127.0.0.1", port: 0)
            loop = try EventLoop()
            server = Server(on: loop, judge, in: Server.Group(), listener: listener)
            try server.begin(with: [server.peer])
            client = StreamStage.Peer(to: listener.port, receiveBytes: nil)
        }

        deinit {
            server.drain(over: 0) {}
            server.closeAll()
            listener.close()
        }

        func send(_ targets: String...) {
            client.send(targets.map(Self.request).joined())
            turn()
        }

        static func request(_ target: String) -> String { "GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n" }

        /// Runs turns until nothing is left to do.
        func turn() {
            for _ in 0..<4 {
                loop.post {}
                loop.turn()
            }
        }

        /// The targets in the answers that the client has received.
        var answers: [String] {
            client.read()
            return String(decoding: client.bytes, as: UTF8.self).split(separator: "<").dropFirst()
                .map { String($0.prefix { $0 != ">" }) }
        }
    }

    @Test func `later requests wait for one that was put off`() throws {
        let court = try Court()
        court.send("/1", "/late", "/2")
        #expect(court.answers == ["/1"])
        court.send("/3")
        #expect(court.judge.handled == ["/1"])
        court.judge.decide()
        court.turn()
        #expect(court.answers == ["/1", "/late", "/2", "/3"])
    }

    @Test func `a client that has gone gets no answer, and its connection is closed at once`() throws {
        let court = try Court()
        court.send("/late")
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(court.client.descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
        dup2(nothing, court.client.descriptor)
        close(nothing)
        court.turn()
        #expect(court.server.connectionCount == 0)
        court.judge.decide()
        court.turn()
        #expect(court.judge.handled == [])
    }

    @Test(arguments: ["\0\r\n\r\n", "GET / HTTP/1.1\r\n: x\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"])
    func `bytes that are no request are refused after the one that was put off`(_ bytes: String) throws {
        for isLate in [false, true] {
            let court = try Court()
            court.client.send(Court.request("/late") + (isLate ? "" : bytes))
            court.turn()
            if isLate { court.client.send(bytes) }
            court.turn()
            #expect(court.answers == [])
            court.judge.decide()
            court.turn()
            #expect(court.answers == ["/late", "refused"])
            #expect(court.judge.handled == ["/late"])
        }
    }

    @Test func `a client that only sends no more gets its answer`() throws {
        let court = try Court()
        court.send("/late")
        shutdown(court.client.descriptor, Int32(SHUT_WR))
        court.turn()
        #expect(court.server.connectionCount == 1)
        court.judge.decide()
        court.turn()
        #expect(court.answers == ["/late"])
        #expect(court.client.hasEnded)
        #expect(court.server.connectionCount == 0)
    }

    @Test func `a server that shuts down answers what it has put off`() throws {
        let court = try Court()
        court.send("/late")
        court.server.drain(over: 0) {}
        court.turn()
        #expect(court.server.connectionCount == 1)
        court.judge.decide()
        court.turn()
        #expect(court.answers == ["/late"])
        #expect(String(decoding: court.client.bytes, as: UTF8.self).contains("Connection: close"))
    }

    @Test(arguments: 0..<60) func `requests in any slices are answered once, in their order`(_ seed: Int) throws {
        var random = Numbers(seed: seed)
        let court = try Court()
        let targets = (0..<20).map { Bool.random(using: &random) ? "/late\($0)" : "/now\($0)" }
        var rest = Substring(targets.map(Court.request).joined())
        for _ in 0..<10_000 where court.judge.handled.count < targets.count {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let slice = rest.prefix(Int.random(in: 1...200, using: &random))
                court.client.send(String(slice))
                rest = rest.dropFirst(slice.count)
            case 2: court.judge.decide()
            default: break
            }
            court.turn()
            #expect(court.judge.handled == Array(targets.prefix(court.judge.handled.count)))
        }
        #expect(court.answers == targets)
        #expect(court.server.connectionCount == 1)
    }

    /// Numbers that follow from a seed.
    private struct Numbers: RandomNumberGenerator {
        private var state: UInt64

        init(seed: Int) { state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }
}
