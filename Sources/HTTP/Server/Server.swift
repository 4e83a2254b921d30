internal import Compression
import Glibc
import Ground
import Platform
package import Sockets
internal import Synchronization

/// An HTTP server on one loop. A server on several loops consists of several of them, which share a listener and hand
/// connections to each other.
package final class Server: Channel {
    /// The maximum number of bytes in one read.
    static let readBytes = 64 * 1_024
    /// The maximum number of bytes taken from the source of a stream at once, beyond one piece.
    static let writeBytesLimit = 16 * 1_024
    /// The maximum number of unsent bytes of a stream in the system, beyond one piece. A slow reader receives these
    /// before any newer value.
    static let unsentBytesLimit: Int32 = 16 * 1_024
    /// The maximum number of bytes of waiting answers before the next request of the same connection is handled.
    static let answersBytesLimit = 256 * 1_024
    /// The maximum number of connections whose answers wait for the end of the turn.
    static let unsentLimit = 64
    /// The same limit for answers given after their requests were handled. The answers of a batch are sent together, in
    /// bounded memory.
    static let unsentLateLimit = 1_024
    /// The time until the server accepts again after it ran out of descriptors.
    static let retryNanoseconds: Int64 = 250_000_000
    /// The maximum number of connections accepted in one turn, so that existing connections are served too.
    static let acceptedPerTurn = 128
    /// The number of cached heads.
    static let headCount = 16

    /// The state that the servers of all loops share.
    package final class Group: Sendable {
        let limits: ServerLimits
        /// The fields of every answer besides its date and its request ID, each with its line end.
        let fields: String
        let connectionCount = Atomic<Int>(0)
        /// True if each request gets a span.
        let startsTraces: Bool
        /// The connections that found no room.
        private let refusedConnections = Atomic<Int>(0)

        /// The number of connections that found no room.
        package var refusedCount: Int { refusedConnections.load(ordering: .relaxed) }

        func noteRefused() { refusedConnections.wrappingAdd(1, ordering: .relaxed) }

        /// The state of servers without connections.
        package init(_ limits: ServerLimits = ServerLimits(), fields: String = "", startsTraces: Bool = false) {
            self.startsTraces = startsTraces
            self.limits = limits
            self.fields = fields
        }
    }

    /// A reference to a server for other loops.
    package final class Peer: @unchecked Sendable {
        // Sendable because the server is only touched by jobs on its own loop.
        let loop: EventLoop
        /// The server, for jobs on its loop.
        unowned(unsafe) let server: Server
        let isForGuests: Bool

        init(_ server: Server) {
            loop = server.loop
            isForGuests = server.isForGuests
            self.server = server
        }

        /// Serves a request of this process. Thread-safe.
        package func serve(_ request: RequestInProcess) { loop.post { [self] in server.serve(request) } }
    }

    /// The loop.
    package let loop: EventLoop
    /// The limits.
    package let limits: ServerLimits
    let handler: any Handler
    let group: Group
    private(set) var wheel: Wheel
    /// A cache of parsed heads. The index depends on the number of bytes, so a request that is repeated byte for byte
    /// most likely finds its own head.
    private let heads: [RequestHead]
    /// Buffers for answers.
    var buffers = BufferPool()
    /// The compressor of the loop, made when a client asks for gzip.
    private(set) lazy var deflater = Deflater()
    /// The long work of the loop.
    private(set) lazy var slices = SlicedWork(post: { [loop] in loop.post($0) })
    /// The comment that keeps a silent stream alive.
    let heartbeat = Piece(EventText.heartbeat)
    /// The connections whose answers are sent at the end of the turn.
    private var unsent: [Connection] = []
    private var isSending = false
    /// The buffer for reads; nil while it is in use.
    private var room: UnsafeMutableRawBufferPointer?
    private let listener: ListeningSocket?
    private var listening: Registration?
    private var peers: [Peer] = []
    /// The place of this server among its peers.
    private(set) var index = 0
    /// True for a server whose connections return to their loop when they are idle.
    private let isForGuests: Bool
    /// True once the server accepts no more connections.
    package private(set) var isDraining = false
    /// The time at which a server that is about to end stops listening; nil before.
    private(set) var leavesAt: Int64?
    /// True once the server is about to end: each connection closes with its next answer.
    var isLeaving: Bool { leavesAt != nil || isDraining }
    private var whenEmpty: (() -> Void)?
    /// The timer that listens again after the server ran out of descriptors.
    private let retry = Retry()
    private var requestCount: UInt64 = 0
    let requestPrefix: String
    private let fields: String
    /// The fields of every answer, with the date of the second `dated`.
    private var commonFields = Outbox(capacity: 256)
    private var dated: Int64 = -1
    /// The number of connections on this loop.
    package private(set) var connectionCount = 0

    /// Creates a server on a loop. With a listener, it accepts connections after `begin`.
    ///
    /// A server `isForGuests` may compute for long: it serves the requests of connections of other loops, and keeps none
    /// that is idle.
    package init(
        on loop: EventLoop, _ handler: any Handler, in group: Group, listener: ListeningSocket?,
        isForGuests: Bool = false
    ) {
        self.isForGuests = isForGuests
        self.loop = loop
        fields = group.fields
        self.handler = handler
        limits = group.limits
        self.group = group
        self.listener = listener
        heads = (0..<Self.headCount).map { _ in RequestHead(group.limits) }
        requestPrefix = String(UInt32.random(in: 0x1000_0000 ... .max), radix: 16) + "-"
        wheel = Wheel(now: loop.now) { _ in }
        wheel = Wheel(now: loop.now) { [unowned loop] registration in
            (loop.channel(of: registration) as? Connection)?.reachTime()
        }
        // First at the end of a turn: a request does not wait for thousands of streams.
        loop.endings.insert({ [unowned self] in sendAnswers() }, at: 0)
        loop.timers.append(wheel)
        retry.body = { [unowned self, unowned loop] in
            do throws(SystemFailure) { try listen() } catch { retry.set(at: loop.now + Self.retryNanoseconds) }
        }
        loop.timers.append(retry)
    }

    deinit {
        room?.deallocate()
    }

    /// A reference to this server for other loops.
    package var peer: Peer { Peer(self) }

    /// Begins to accept connections. `peers` are the servers of all loops, in their order.
    package func begin(with peers: [Peer]) throws(SystemFailure) {
        self.peers = peers
        index = peers.firstIndex { $0.server === self } ?? 0
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

    /// Accepts connections.
    package func ready(_ readiness: Readiness) {
        guard let listener else { return }
        for _ in 0..<Self.acceptedPerTurn {
            switch listener.accept() {
            case .socket(let socket): take(socket)
            case .none: return
            case .exhausted:
                // The next closed connection makes room. Until then the listener would wake the loop in vain.
                guard closeOldestIdle() else {
                    stopListening()
                    return retry.set(at: loop.now + Self.retryNanoseconds)
                }
            }
        }
    }

    /// Serves a connection.
    package func take(_ socket: Socket) {
        let count = group.connectionCount.wrappingAdd(1, ordering: .relaxed).newValue
        connectionCount += 1
        let connection = Connection(socket, self)
        guard count > limits.connectionCount else { return welcome(connection) }
        IdleEviction.makeRoom(among: peers.filter { !$0.isForGuests }, for: loop) { [self] isMade in
            if isMade { welcome(connection) } else { turnAway(connection) }
        }
    }

    private func welcome(_ connection: Connection) {
        guard register(connection) else { return }
        connection.set(secondsLeft: limits.idleSeconds)
    }

    private func register(_ connection: Connection) -> Bool {
        if connection.isInProcess {
            connection.registration = loop.register(connection)
            return true
        }
        do {
            connection.registration = try loop.register(connection.socket.descriptor, connection)
            return true
        } catch {
            connection.socket.close()
            noteClosed()
            return false
        }
    }

    /// Answers that the limit of connections is reached, and closes.
    private func turnAway(_ connection: Connection) {
        group.noteRefused()
        guard register(connection) else { return }
        connection.refuse(
            MessageFault(503, "there are as many connections as this server takes: try again in a moment"))
    }

    /// The connection that has waited longest for another request.
    private var oldestIdle: Connection? {
        var oldest: Connection?
        loop.forEachChannel { channel in
            guard let connection = channel as? Connection, connection.state.isIdle, connection.partial == nil,
                connection.serial > 0,
                connection.output.isEmpty
            else { return }
            if connection.deadline < oldest?.deadline ?? .max { oldest = connection }
        }
        return oldest
    }

    /// The deadline of the connection that has waited longest for another request.
    var oldestIdleDeadline: Int64? { oldestIdle?.deadline }

    /// Closes the connection that has waited longest for another request. Returns false if there is none.
    func closeOldestIdle() -> Bool {
        guard let oldestIdle else { return false }
        oldestIdle.close()
        return true
    }

    func noteClosed() {
        connectionCount -= 1
        group.connectionCount.wrappingSubtract(1, ordering: .relaxed)
        // If the server cannot listen, the next connection that closes tries again.
        if isDraining { checkEmpty() } else if listening == nil { try? listen() }
    }

    // MARK: Moving

    func move(_ handoff: ConnectionHandoff, to index: Int) {
        connectionCount -= 1
        let peer = peers[index]
        peer.loop.post { peer.server.adopt(handoff) }
        if isDraining { checkEmpty() }
    }

    /// Handles the request that a connection has put off at the end of a wait.
    func takeUp(_ connection: Connection, after wait: RequestWait) {
        let (loop, owned) = (loop, Confined((connection, connection.serial)))
        wait { outcome in
            loop.post {
                let (connection, serial) = owned.value
                connection.takeUp(serial, outcome)
            }
        }
    }

    /// Serves a request of this process.
    package func serve(_ request: RequestInProcess) {
        group.connectionCount.wrappingAdd(1, ordering: .relaxed)
        adopt(
            ConnectionHandoff(
                socket: .none, bytes: request.bytes, output: [], wasToldToContinue: false, hasEnded: false, home: index,
                inProcess: request))
    }

    private func adopt(_ handoff: ConnectionHandoff) {
        connectionCount += 1
        let connection = Connection(handoff.socket, self)
        if let request = handoff.inProcess { connection.withRare { $0.inProcess = request } }
        if isForGuests { connection.withRare { $0.home = handoff.home } }
        connection.output.share(Rope(handoff.output))
        if handoff.hasEnded { connection.state = ConnectionState(inbound: .ended) }
        guard register(connection) else { return }
        if let request = handoff.inProcess, !request.begin(connection, on: loop) { return connection.close() }
        let partial = Connection.Partial()
        partial.bytes = handoff.bytes
        partial.wasToldToContinue = handoff.wasToldToContinue
        connection.goOn(with: partial)
    }

    // MARK: Room

    /// Lends the buffer for reads.
    @inline(__always)
    func withRoom<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
        let room = self.room ?? .allocate(byteCount: Self.readBytes, alignment: 16)
        self.room = nil
        defer {
            // A read within a read uses a second buffer. One of them is kept.
            self.room?.deallocate()
            self.room = room
        }
        return body(room)
    }

    /// Returns an unused head for the request at the start of `bytes`.
    func head(for bytes: Span<UInt8>) -> RequestHead {
        let head = heads[bytes.count % Self.headCount]
        return head.isLent ? RequestHead(limits) : head
    }

    // MARK: Sending

    /// Sends the answers of a connection at the end of the turn, or as soon as `limit` connections wait for that; at
    /// once if the turn is ending.
    func sendSoon(_ connection: Connection, limit: Int = unsentLimit) {
        if loop.isEndingTurn, !isSending { return connection.finishTurn() }
        unsent.append(connection)
        if unsent.count >= limit, !isSending { sendAnswers() }
    }

    private func sendAnswers() {
        isSending = true
        // Some handle bytes that arrived meanwhile, and are appended again.
        var index = 0
        while index < unsent.count {
            unsent[index].finishTurn()
            index += 1
        }
        unsent.removeAll(keepingCapacity: true)
        isSending = false
    }

    // MARK: Common fields

    /// Writes the fields of every answer, without the last line end.
    @inline(__always)
    func appendCommonFields(_ id: RequestID, to output: inout Outbox) {
        if dated != loop.now / 1_000_000_000 { date() }
        switch id {
        case .number(let number):
            output.append(commonFields.bytes)
            output.append(hexadecimal: number)
        case .given(let text):
            output.append(UnsafeRawBufferPointer(rebasing: commonFields.bytes.dropLast(requestPrefix.utf8.count)))
            output.append(text: text)
        }
    }

    /// Writes the common fields for the current second.
    private func date() {
        dated = loop.now / 1_000_000_000
        commonFields.removeAll()
        commonFields.append(
            text: "\(fields)Date: \(HTTPDate(seconds: Int64(time(nil))).text)\r\nX-Request-Id: \(requestPrefix)")
    }

    func nextRequestID() -> RequestID {
        requestCount += 1
        return .number(requestCount)
    }

    /// Returns the place of a request in the trace of its client, or in a new one.
    func trace(of request: borrowing Request) -> TraceContext? {
        let known =
            request.head.isRepeated(.traceParent) ? nil : request.field(.traceParent).flatMap { TraceContext($0) }
        guard group.startsTraces else { return known }
        return known?.child ?? TraceContext()
    }

    /// Returns the request ID that the client sent, if it is valid, otherwise a number.
    func requestID(of request: borrowing Request) -> RequestID {
        guard let range = request.head.value(of: .requestID), (1...128).contains(range.count) else {
            return nextRequestID()
        }
        for index in range where !(0x21...0x7E).contains(request.bytes[index]) { return nextRequestID() }
        return .given(Octet.text(request.bytes, range))
    }

    // MARK: The end

    /// Prepares the end. For `seconds` the server goes on as before, and other servers or a proxy have time to take its
    /// clients: each connection closes with its next answer, and the streams end one by one.
    package func leave(over seconds: Double) {
        leavesAt = loop.now + Int64(seconds * 1e9)
        endStreams(over: seconds)
    }

    /// Ends the open streams one by one over `seconds`, the first at once.
    private func endStreams(over seconds: Double) {
        var streams: [Connection] = []
        loop.forEachChannel { channel in
            if let connection = channel as? Connection, connection.state.isStreaming { streams.append(connection) }
        }
        for (index, connection) in streams.enumerated() {
            let delay = Int64(Double(index) / Double(streams.count) * seconds * 1e9)
            if delay == 0 { connection.endStream() } else { connection.set(deadline: loop.now + delay) }
        }
    }

    /// The milliseconds after which the client of a stream that ends comes back: after the end of this server, and not
    /// all clients at once. Nil if the server goes on.
    var comingBackMilliseconds: Int? {
        guard isLeaving else { return nil }
        let left = max(0, (leavesAt ?? loop.now) - loop.now) / 1_000_000
        return Int(left) + Int.random(in: 250...Self.comingBackSpread)
    }

    /// The milliseconds over which the clients of streams come back after the end of the server.
    private static let comingBackSpread = 1_250

    /// Shuts down: accepts no more connections, answers the requests under way, and ends the streams one by one over
    /// `seconds`. Calls `done` when the last connection has closed.
    package func drain(over seconds: Double, _ done: @escaping () -> Void) {
        // Connections that the system has accepted are still served.
        if listening != nil { ready(.readable) }
        isDraining = true
        whenEmpty = done
        stopListening()
        listener?.refuseAll()
        var others: [Connection] = []
        loop.forEachChannel { channel in
            if let connection = channel as? Connection, !connection.state.isStreaming { others.append(connection) }
        }
        for connection in others {
            // Requests that were sent are still answered.
            if connection.state.isIdle { connection.read() }
            connection.perform(connection.state.drain(hasPartial: connection.partial != nil))
        }
        endStreams(over: seconds)
        checkEmpty()
    }

    /// Closes all connections.
    package func closeAll() {
        loop.forEachChannel { ($0 as? Connection)?.close() }
    }

    private func checkEmpty() {
        guard connectionCount == 0, let whenEmpty else { return }
        self.whenEmpty = nil
        whenEmpty()
    }
}

/// The eviction of an idle connection to make room for a new one. The connection of any loop that has waited longest
/// for its next request is closed.
enum IdleEviction {
    /// Closes one idle connection, and calls `then` on `loop` with true if there was one.
    static func makeRoom(among peers: [Server.Peer], for loop: EventLoop, _ then: @escaping (Bool) -> Void) {
        let owned = Confined(then)
        let search = Lock(OldestIdleSearch(missing: peers.count))
        for peer in peers {
            peer.loop.post {
                let deadline = peer.server.oldestIdleDeadline
                let search = search.with { search in
                    search.missing -= 1
                    if let deadline, deadline < search.deadline { (search.deadline, search.found) = (deadline, peer) }
                    return search
                }
                guard search.missing == 0 else { return }
                guard let found = search.found else { return loop.post { owned.value(false) } }
                found.loop.post {
                    // It may have received a request meanwhile. Then the next oldest is closed.
                    let isClosed = found.server.closeOldestIdle()
                    loop.post { owned.value(isClosed) }
                }
            }
        }
    }

    private struct OldestIdleSearch {
        var missing: Int
        var deadline = Int64.max
        var found: Server.Peer?
    }
}

/// A timer that retries an operation.
final class Retry: TimerSource {
    private(set) var next: Int64?
    /// The attempt.
    var body: () -> Void = {}

    func set(at time: Int64) {
        next = time
    }

    func advance(to now: Int64) {
        next = nil
        body()
    }
}
