import Glibc
@testable import HTTP
import Sockets

/// A server whose turns the test runs, whose every request begins a stream of scripted pieces.
final class StreamStage {
    /// A stream that sends the newest piece, if its connection has not taken it.
    final class Reader: StreamSource {
        unowned let stage: StreamStage
        let connection: Connection
        var taken = 0
        private(set) var hasLeft = false

        init(_ stage: StreamStage, _ connection: Connection) {
            self.stage = stage
            self.connection = connection
        }

        func next() -> Piece? {
            guard taken < stage.pieces.count else { return nil }
            // A reader that is behind gets the newest piece (conflation).
            taken = stage.isConflating ? stage.pieces.count : taken + 1
            return stage.pieces[taken - 1]
        }

        func left() { hasLeft = true }
    }

    private final class Doorman: Handler {
        weak var stage: StreamStage?

        func handle(_ request: borrowing Request, _ exchange: Exchange) -> Disposition {
            guard let stage else { return .here }
            let reader = Reader(stage, exchange.connection)
            stage.readers.append(reader)
            exchange.stream(reader, "text/event-stream", opening: stage.opening, mark: stage.mark)
            return .here
        }

        func refuse(_ refusal: MessageFault, _ exchange: Exchange) {}
    }

    private final class Time: @unchecked Sendable {
        // Sendable because only the test's thread runs the loop.
        var now: Int64 = 1_000_000_000
    }

    let loop: EventLoop
    let server: Server
    var pieces: [Piece] = []
    var isConflating = true
    /// The first bytes of the next streams, and the mark of their ids.
    var opening: [UInt8] = []
    var mark: EventIDMark?
    fileprivate(set) var readers: [Reader] = []
    private let time = Time()
    private let doorman = Doorman()
    private let listener: ListeningSocket

    init() throws {
        listener = try ListeningSocket(host: "127.0.0.1", port: 0)
        loop = try EventLoop(time: { [time] in time.now })
        server = Server(on: loop, doorman, in: Server.Group(), listener: listener)
        doorman.stage = self
        try server.begin(with: [server.peer])
    }

    deinit {
        server.drain(over: 0) {}
        server.closeAll()
        listener.close()
    }

    func turn() {
        loop.post {}
        loop.turn()
    }

    func advance(seconds: Int64) {
        time.now += seconds * 1_000_000_000
        turn()
    }

    /// Notifies all readers of a piece.
    func send(_ text: String) {
        pieces.append(Piece(Array(text.utf8), isNewest: isConflating))
        for reader in readers { reader.connection.wake() }
    }

    /// A client that has sent a request for a stream.
    func connect(_ fields: String = "", version: String = "1.1", receiveBytes: Int32? = nil) -> Peer {
        let peer = Peer(to: listener.port, receiveBytes: receiveBytes)
        let expected = readers.count + 1
        peer.send("GET / HTTP/\(version)\r\nHost: x\r\n\(fields)\r\n")
        while readers.count < expected { loop.turn() }
        return peer
    }

    /// A client's end.
    final class Peer {
        let descriptor: Int32
        private(set) var bytes: [UInt8] = []
        private(set) var hasEnded = false

        init(to port: UInt16, receiveBytes: Int32?) {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            if var size = receiveBytes {
                setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
            }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            _ = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }

        deinit { close(descriptor) }

        func send(_ text: String) { _ = Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }

        /// The number of bytes in the receive buffer.
        var unreadCount: Int {
            var count: Int32 = 0
            _ = ioctl(descriptor, UInt(FIONREAD), &count)
            return Int(count)
        }

        /// Reads the received bytes.
        func read() {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                if count == 0 { hasEnded = true }
                guard count > 0 else { return }
                bytes += buffer[..<count]
            }
        }

        /// The head of the answer.
        var head: String {
            let text = String(decoding: bytes.prefix(2_000), as: UTF8.self)
            return text.firstRange(of: "\r\n\r\n").map { String(text[..<$0.lowerBound]) } ?? text
        }

        /// The bytes after the head.
        var body: [UInt8] {
            let starts = 0..<max(0, bytes.count - 3)
            let end = starts.first { bytes[$0..<$0 + 4].elementsEqual("\r\n\r\n".utf8) }
            return end.map { Array(bytes[($0 + 4)...]) } ?? []
        }

        /// The content of the complete chunks, and true if the last chunk has arrived.
        var chunks: (content: [UInt8], isWhole: Bool) {
            var (rest, content) = (body[...], [UInt8]())
            while let line = rest.firstIndex(of: 0x0D),
                let count = Int(String(decoding: rest[..<line], as: UTF8.self), radix: 16),
                line + 4 + count <= rest.endIndex
            {
                if count == 0 { return (content, true) }
                content += rest[(line + 2)..<(line + 2 + count)]
                rest = rest[(line + 4 + count)...]
            }
            return (content, false)
        }
    }
}
