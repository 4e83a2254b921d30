internal import Compression
import Ground
package import Sockets

/// The connection of one client. It reads requests, passes them to the handler one after the other, and sends the
/// answers.
package final class Connection: Channel {
    /// An incomplete request.
    final class Partial {
        var bytes: [UInt8] = []
        /// The number of bytes already searched for the end of the head.
        var seen = 0
        /// The progress in the chunks of the body, once the head is complete.
        var chunks: (decoder: ChunkDecoder, position: Int, body: [UInt8])?
        var wasToldToContinue = false
        /// True if the bytes may contain complete requests, which wait until earlier answers are sent.
        var isHeldBack = false
        /// The outcome of the wait for which the first request was put off; nil for none.
        var waitOutcome: Bool?
    }

    /// The handler's object that keeps the connection busy.
    enum Occupant {
        /// The source of the stream that is being sent.
        case source(any StreamSource)
        /// The owner of the request that waits.
        case waiter(any Waiter)
    }

    /// What few connections have, so that an idle stream takes little memory.
    final class RareProperties {
        /// The gzip member of the stream; nil if the stream is not compressed.
        var member: GzipStream?
        /// The piece that is being compressed; nil if there is none.
        var compressing: Piece?
        /// True if the stream ends after that piece.
        var endsAfterPiece = false
        /// The mark after each id of the stream; nil for a stream without one.
        var mark: Piece?
        /// The name that the client gave the request; nil if it has its own number.
        var givenID: String?
        /// The place of the request in a trace; nil if it has none.
        var trace: TraceContext?
        /// The mark for work that ends if the peer goes before the answer; nil if there is none.
        var departure: Departure?
        /// The loop that the connection returns to when it is idle, by its index; nil for one that stays.
        var home: Int?
        /// The request of this process that the connection serves, without a socket; nil for a connection of a client.
        var inProcess: RequestInProcess?

        /// Forgets the last request.
        func beginRequest() {
            (givenID, trace, departure) = (nil, nil, nil)
        }
    }

    // The fields are in an order in which they take 152 bytes, which the allocator rounds up to 160.
    let server: Server
    let socket: Socket
    /// The serial of the registration; 0 for none.
    private var registrationSerial: UInt32 = 0
    var serial: UInt32 = 0
    var state = ConnectionState()
    /// True while a request is handled, so that its answer is sent together with those after it.
    var isHandling = false
    /// The content coding of the answer to the current request.
    var coding = ContentCoding.identity
    var partial: Partial?
    /// The bytes that wait to be sent.
    var output = SendQueue()
    /// The method of the request.
    var method = Method.get
    /// The time at which the state machine has to act, and the time set in the wheel.
    var deadline = Int64.max
    var filed = Int64.max
    var occupant: Occupant?
    /// The number of the request.
    private var requestNumber: UInt64 = 0
    /// The time at which the request was read.
    var began: Int64 = 0
    private(set) var rare: RareProperties?

    init(_ socket: Socket, _ server: Server) {
        self.socket = socket
        self.server = server
    }

    /// True for the connection of a request of this process.
    @inline(__always)
    var isInProcess: Bool { socket.descriptor < 0 }

    var registration: Registration? {
        get {
            registrationSerial == 0 ? nil : Registration(descriptor: socket.descriptor, serial: registrationSerial)
        }
        set { registrationSerial = newValue?.serial ?? 0 }
    }

    /// The name of the request: its own number, or the name that the client gave it.
    var requestID: RequestID {
        get { rare?.givenID.map { .given($0) } ?? .number(requestNumber) }
        set {
            switch newValue {
            case .number(let number): requestNumber = number
            case .given(let text): withRare { $0.givenID = text }
            }
        }
    }

    /// The source of the stream that is being sent, or the owner of the request that waits.
    package var holder: AnyObject? {
        switch occupant {
        case .source(let source): source
        case .waiter(let waiter): waiter
        case nil: nil
        }
    }

    var source: (any StreamSource)? {
        if case .source(let source) = occupant { source } else { nil }
    }

    /// Changes the rare properties, which are made for it.
    func withRare(_ body: (RareProperties) -> Void) {
        let rare = rare ?? RareProperties()
        self.rare = rare
        body(rare)
    }

    func isAnswering(_ serial: UInt32) -> Bool {
        self.serial == serial && state.isAnswering
    }

    // MARK: Events

    /// Reads and writes as much as the socket allows.
    package func ready(_ readiness: Readiness) {
        if readiness.contains(.failed) { return close() }
        if readiness.contains(.ended) {
            state.noteEnding()
            rare?.departure?.note()
        }
        if readiness.contains(.writable), !output.isEmpty { goOnSending() }
        guard readiness.hasNews else { return }
        perform(state.becomeReadable())
    }

    /// Performs a step of the state machine.
    func perform(_ action: ConnectionState.Step) {
        switch action {
        case .nothing: break
        case .read: read()
        case .discard: discard()
        case .endWait: endWait()
        case .pull: pull()
        case .sendHeartbeat: send(source?.heartbeat ?? server.heartbeat)
        case .endStream: endStream()
        case .refuseLateRequest:
            refuse(MessageFault(408, "a request must be here within \(server.limits.requestSeconds) seconds"))
        case .closeWhenSent: closeWhenSent()
        case .linger: linger()
        case .close: close()
        }
    }

    /// Drops the bytes that arrive while no request is expected.
    func discard() {
        guard !isInProcess else { return }
        server.withRoom { room in
            while true {
                switch socket.read(into: room) {
                case .moved(let count): if count < room.count, state.inbound == .open { return }
                case .wouldBlock: return
                case .ended: return perform(state.reachEnd())
                case .broken: return close()
                }
            }
        }
    }

    // MARK: Deadlines

    func set(deadline: Int64) {
        self.deadline = deadline
        if deadline < filed, let registration {
            filed = server.wheel.set(registration, at: deadline)
        }
    }

    func set(secondsLeft: Int) {
        set(deadline: server.loop.now + Int64(secondsLeft) * 1_000_000_000)
    }

    /// Called by the wheel when a set deadline has passed.
    func reachTime() {
        // Entries of the wheel are never removed.
        guard filed <= server.loop.now else { return }
        filed = .max
        if deadline > server.loop.now {
            if deadline != .max { set(deadline: deadline) }
        } else {
            deadline = .max
            expire()
        }
    }

    private func expire() {
        perform(
            state.expire(
                ConnectionState.Circumstances(
                    hasPartial: partial != nil, isSent: output.isEmpty, isDraining: server.isLeaving)))
    }

    // MARK: The end

    /// Closes the connection in any state.
    func close() {
        guard let registration else { return }
        // First, so that the callbacks below cannot answer.
        state.close()
        self.registration = nil
        server.loop.deregister(registration)
        if !isInProcess { socket.close() }
        rare?.departure?.note()
        rare?.departure = nil
        partial = nil
        output.removeAll()
        giveBackRoom()
        releaseOccupant()
        server.noteClosed()
        rare?.inProcess?.end()
    }

    /// Tells the occupant that its stream or its wait is over.
    func releaseOccupant() {
        switch occupant.take() {
        case .source(let source): source.left()
        case .waiter(let waiter): waiter.left()
        case nil: break
        }
    }

    /// Makes the waiter answer the waiting request.
    func endWait() {
        if case .waiter(let waiter) = occupant.take() { waiter.waited() }
    }
}

/// The name of a request.
enum RequestID {
    case number(UInt64)
    case given(String)

    func text(_ server: Server) -> String {
        switch self {
        case .given(let text): text
        case .number(let number): server.requestPrefix + String(number, radix: 16)
        }
    }
}
