import Glibc
public import Sockets
internal import Synchronization

/// An HTTP server on one loop. Several of them make up a server on several loops: they share a listener, and hand connections to each other.
public final class Server: Channel {
    /// How many bytes are read at once.
    static let readBytes = 64 * 1_024
    /// How much is written at once where there is much.
    static let writeBytesLimit = 64 * 1_024
    /// How much of answers waits to be sent at the most before the next request of the same connection is handled.
    static let answersBytesLimit = 256 * 1_024
    /// The largest buffer that is kept for the next answer.
    static let spareBytesLimit = 256 * 1_024
    /// After how long it is tried again to take connections, where there were no descriptors for them.
    static let retryNanoseconds: Int64 = 250_000_000
    /// How many connections are taken in one turn, so that those that are there get theirs.
    static let acceptedPerTurn = 128
    /// How many heads are remembered.
    static let headCount = 16

    /// What the servers of all loops have in common.
    public final class Shared: Sendable {
        let connectionCount = Atomic<Int>(0)

        /// Nothing yet.
        public init() {}
    }

    /// A server as another loop knows it.
    public final class Peer: @unchecked Sendable {
        // Sendable because the server is only touched by jobs on its own loop.
        let loop: EventLoop
        /// The server, for jobs on its loop.
        unowned(unsafe) let server: Server

        init(_ server: Server) {
            loop = server.loop
            self.server = server
        }
    }

    /// The loop.
    public let loop: EventLoop
    /// The limits.
    public let limits: Limits
    let handler: any Handler
    let shared: Shared
    private(set) var wheel: Wheel
    /// Heads that were read. A request that comes again, byte for byte, most likely finds its own: its place follows from how many bytes there are.
    private let heads: [Head]
    /// A buffer for what is being written.
    var spare: [UInt8] = []
    private var buffer: [UInt8]
    private let listener: Listener?
    private var listening: Registration?
    private var peers: [Peer] = []
    /// Whether it comes to its end.
    public private(set) var isDraining = false
    private var whenEmpty: (() -> Void)?
    /// When it tries again to listen, where there were no descriptors left.
    private let retry = Retry()
    private var requestCount: UInt64 = 0
    let requestPrefix: String
    private var date: (second: Int64, field: [UInt8]) = (-1, [])
    /// How many connections there are on this loop.
    public private(set) var connectionCount = 0
    private let statusLines: [[UInt8]]

    /// A server on a loop. Where it has a listener, it takes connections from it once it has begun.
    public init(on loop: EventLoop, _ handler: any Handler, _ limits: Limits, shared: Shared, listener: Listener?) {
        self.loop = loop
        self.handler = handler
        self.limits = limits
        self.shared = shared
        self.listener = listener
        heads = (0..<Self.headCount).map { _ in Head(limits) }
        buffer = [UInt8](repeating: 0, count: Self.readBytes)
        spare.reserveCapacity(4_096)
        requestPrefix = String(UInt32.random(in: 0x1000_0000 ... .max), radix: 16) + "-"
        statusLines = (0..<600).map { Array("HTTP/1.1 \($0) \(Status($0).reason)\r\n".utf8) }
        wheel = Wheel(now: loop.now) { _, _ in }
        wheel = Wheel(now: loop.now) { [unowned loop] registration, deadline in
            (loop.channel(of: registration) as? Connection)?.reach(deadline)
        }
        loop.clockworks.append(wheel)
        retry.body = { [unowned self] in
            do throws(SystemFailure) { try listen() } catch { retry.set(at: loop.now + Self.retryNanoseconds) }
        }
        loop.clockworks.append(retry)
    }

    /// The server as others may know it.
    public var peer: Peer { Peer(self) }

    /// Begins to take connections; `peers` are the servers of all loops, in their order.
    public func begin(with peers: [Peer]) throws(SystemFailure) {
        self.peers = peers
        try listen()
    }

    private func listen() throws(SystemFailure) {
        guard let listener, listening == nil, !isDraining else { return }
        listening = try loop.register(listener.descriptor, self, .whileReadable)
    }

    private func stopListening() {
        if let listening { loop.deregister(listening) }
        listening = nil
    }

    // MARK: Connections

    /// Takes connections.
    public func ready(_ readiness: Readiness) {
        guard let listener else { return }
        for _ in 0..<Self.acceptedPerTurn {
            switch listener.accept() {
            case .socket(let socket): take(socket)
            case .none: return
            case .exhausted:
                // Whatever closes next makes room, here or elsewhere; until then, nothing is gained by being told that somebody waits.
                guard closeOldestIdle() else {
                    stopListening()
                    return retry.set(at: loop.now + Self.retryNanoseconds)
                }
            }
        }
    }

    private func take(_ socket: Socket) {
        let count = shared.connectionCount.wrappingAdd(1, ordering: .relaxed).newValue
        connectionCount += 1
        let connection = Connection(socket, self)
        guard count > limits.connectionCount else { return welcome(connection) }
        Vacancy.make(among: peers, for: loop) { [self] isMade in
            if isMade { welcome(connection) } else { turnAway(connection) }
        }
    }

    private func welcome(_ connection: Connection) {
        guard register(connection) else { return }
        connection.set(secondsLeft: limits.idleSeconds)
    }

    private func register(_ connection: Connection) -> Bool {
        do {
            connection.registration = try loop.register(connection.socket.descriptor, connection)
            return true
        } catch {
            connection.socket.close()
            noteClosed()
            return false
        }
    }

    /// Says that there is no room, and closes.
    private func turnAway(_ connection: Connection) {
        guard register(connection) else { return }
        connection.refuse(MessageFault(503, "there are as many connections as this server takes: try again in a moment"))
    }

    /// The connection that has waited longest for a next request.
    private var oldestIdle: Connection? {
        var oldest: Connection?
        loop.forEachChannel { channel in
            guard let connection = channel as? Connection, case .idle = connection.phase, connection.partial == nil, connection.serial > 0,
                connection.output.isEmpty
            else { return }
            if connection.deadline < oldest?.deadline ?? .max { oldest = connection }
        }
        return oldest
    }

    /// Until when the one that has waited longest would be waited for.
    var oldestIdleDeadline: Int64? { oldestIdle?.deadline }

    /// Closes the connection that has waited longest for a next request; whether there was one.
    func closeOldestIdle() -> Bool {
        guard let oldestIdle else { return false }
        oldestIdle.close()
        return true
    }

    func noteClosed() {
        connectionCount -= 1
        shared.connectionCount.wrappingSubtract(1, ordering: .relaxed)
        if isDraining { checkEmpty() } else if listening == nil { try? listen() }  // Where that fails, the next that closes tries again.
    }

    // MARK: Moving

    func move(_ mover: Mover, to index: Int) {
        connectionCount -= 1
        let peer = peers[index]
        peer.loop.post { peer.server.adopt(mover) }
        if isDraining { checkEmpty() }
    }

    private func adopt(_ mover: Mover) {
        connectionCount += 1
        let connection = Connection(mover.socket, self)
        connection.output = mover.output
        connection.hasEnded = mover.hasEnded
        guard register(connection) else { return }
        let partial = Connection.Partial()
        partial.bytes = mover.bytes
        partial.wasToldToContinue = mover.wasToldToContinue
        connection.goOn(with: partial)
    }

    // MARK: Buffers

    /// Lends the buffer that is read into.
    func withBuffer<Result>(_ body: (inout [UInt8]) -> Result) -> Result {
        var buffer = buffer
        self.buffer = []
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: Self.readBytes) }
        defer { self.buffer = buffer }
        return body(&buffer)
    }

    /// What a head at the start of `bytes` is read into.
    func head(for bytes: Span<UInt8>) -> Head { heads[bytes.count % Self.headCount] }

    // MARK: What every answer has

    func statusLine(_ status: Status) -> [UInt8] { statusLines[status.code] }

    /// Writes the fields that every answer has, and the end of the fields.
    func appendCommonFields(_ id: RequestID, isPersistent: Bool, to bytes: inout [UInt8]) {
        let second = loop.now / 1_000_000_000
        if date.second != second {
            date = (second, Array("Date: \(HTTPDate.text(time(nil)))\r\nX-Request-Id: ".utf8))
        }
        bytes.append(contentsOf: date.field)
        switch id {
        case .given(let text): bytes.append(contentsOf: text.utf8)
        case .number(let number):
            bytes.append(contentsOf: requestPrefix.utf8)
            Self.appendHex(number, to: &bytes)
        }
        bytes.append(contentsOf: isPersistent ? Self.fieldsEnd : Self.lastFieldsEnd)
    }

    private static let fieldsEnd = Array("\r\n\r\n".utf8)
    private static let lastFieldsEnd = Array("\r\nConnection: close\r\n\r\n".utf8)

    private static func appendHex(_ number: UInt64, to bytes: inout [UInt8]) {
        var shift = max(0, (64 - number.leadingZeroBitCount + 3) / 4 * 4 - 4)
        while shift >= 0 {
            let digit = UInt8(number >> UInt64(shift) & 0xF)
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            shift -= 4
        }
    }

    func nextRequestID() -> RequestID {
        requestCount += 1
        return .number(requestCount)
    }

    /// The name that a client gave a request, if it can be one, or a number.
    func requestID(of request: borrowing Request) -> RequestID {
        guard let range = request.head.value(of: .requestID), (1...128).contains(range.count) else { return nextRequestID() }
        for index in range where !(0x21...0x7E).contains(request.bytes[index]) { return nextRequestID() }
        return .given(Octet.text(request.bytes, range))
    }

    // MARK: The end

    /// Takes no more connections, has what is under way answered, ends streams one after the other over so many seconds, and tells when all is done.
    public func drain(over seconds: Double, _ done: @escaping () -> Void) {
        // Who has come already is still served.
        if listening != nil { ready(.readable) }
        isDraining = true
        whenEmpty = done
        stopListening()
        listener?.refuseAll()
        var streams: [Connection] = []
        var others: [Connection] = []
        loop.forEachChannel { channel in
            guard let connection = channel as? Connection else { return }
            if case .streaming = connection.phase { streams.append(connection) } else { others.append(connection) }
        }
        for connection in others {
            // What was sent already is still answered.
            if case .idle = connection.phase { connection.read() }
            switch connection.phase {
            case .idle where connection.partial == nil: connection.closeWhenSent()
            case .waiting: handler.waited(Exchange(connection: connection, serial: connection.serial))
            default: break
            }
        }
        for (index, connection) in streams.enumerated() {
            if index == 0 {
                connection.endStream()
            } else {
                connection.set(deadline: loop.now + Int64(Double(index) / Double(streams.count) * seconds * 1e9))
            }
        }
        checkEmpty()
    }

    /// Closes all that is left.
    public func closeAll() {
        loop.forEachChannel { ($0 as? Connection)?.close() }
    }

    private func checkEmpty() {
        guard connectionCount == 0, let whenEmpty else { return }
        self.whenEmpty = nil
        whenEmpty()
    }
}
