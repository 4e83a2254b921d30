/// The state of a connection: a pure machine that turns events into steps, which the connection performs.
///
///     idle ─ begin ─► answering ─ wait ─► waiting
///      ▲                  │ │                │
///      └──── answered ────┘ └─ beginStream ─►│ streaming
///                         │                  │     │
///                         └─► closing ◄──────┴─────┘
///                               └─ sent ─► lingering ─► closed
struct ConnectionState: Equatable {
    /// The present occupation of a connection.
    enum Activity {
        /// The connection waits for a request, or for the rest of one.
        case idle
        /// A request waits for its answer,
        case answering
        /// or waits on purpose.
        case waiting
        /// The connection sends a stream.
        case streaming
        /// The connection closes as soon as everything is sent.
        case closing
        /// Everything is sent, and the peer knows. Bytes that it still sends are dropped, because closing at once could
        /// destroy the answer.
        case lingering
        case closed
    }

    /// The direction from the peer to here.
    enum Inbound {
        case open
        /// The peer sends nothing after the bytes that are yet to be read.
        case ending
        /// All bytes of the peer are read.
        case ended
    }

    /// The next step of the connection.
    enum Step {
        case nothing
        /// Read requests,
        case read
        /// or drop the bytes that can be read.
        case discard
        /// Have the waiting request answered.
        case endWait
        /// Ask the source of the stream for more,
        case pull
        /// send a heartbeat,
        case sendHeartbeat
        /// or end the stream.
        case endStream
        /// Answer that the request took too long to arrive.
        case refuseLateRequest
        /// Close as soon as everything is sent,
        case closeWhenSent
        /// tell the peer that everything is sent and wait for its end,
        case linger
        /// or close at once.
        case close
    }

    private(set) var activity = Activity.idle
    private(set) var inbound = Inbound.open
    /// True if another request may follow the present one.
    private(set) var isPersistent = true
    /// True if the answer to the present request has no content.
    private(set) var isHead = false
    /// True if the client understands chunks.
    private(set) var usesChunks = true
    /// True if a stream that is the answer to the present request names no end of the connection.
    var keepsStreamOpen: Bool { isPersistent && usesChunks }
    /// True if there may be more to read than was read.
    var mayHaveMore = false

    init(inbound: Inbound = .open) {
        self.inbound = inbound
    }

    @inline(__always)
    var isIdle: Bool { activity == .idle }

    var isStreaming: Bool { activity == .streaming }

    /// True while a request waits for its answer.
    @inline(__always)
    var isAnswering: Bool { activity == .answering || activity == .waiting }

    /// True once nothing is read as a request any more.
    var isOver: Bool { activity == .closing || activity == .lingering || activity == .closed }

    // MARK: The peer

    /// The system says that the peer sends nothing more after the bytes that can be read.
    mutating func noteEnding() {
        if inbound == .open { inbound = .ending }
    }

    /// There are bytes to be read, or the peer's end.
    mutating func becomeReadable() -> Step {
        switch activity {
        case .idle: return .read
        case .answering: mayHaveMore = true
        case .waiting:
            mayHaveMore = true
            // A client that sends nothing more has most likely gone: it gets the answer that it would get in the end.
            if inbound != .open { return .endWait }
        case .streaming, .lingering: return .discard
        case .closing, .closed: break
        }
        return .nothing
    }

    /// All bytes of the peer are read.
    mutating func reachEnd() -> Step {
        inbound = .ended
        switch activity {
        // Requests that were read are still answered.
        case .idle: return .closeWhenSent
        // Perhaps the peer still reads: its stream ends as streams do.
        case .streaming: return .endStream
        default: return .close
        }
    }

    // MARK: Requests and answers

    /// A request is passed to the handler.
    @inline(__always)
    mutating func begin(isPersistent: Bool, isHead: Bool, usesChunks: Bool) {
        self.isPersistent = isPersistent
        self.isHead = isHead
        self.usesChunks = usesChunks
        activity = .answering
    }

    /// Bytes that are no request are passed to the handler.
    mutating func beginRefusal() {
        begin(isPersistent: false, isHead: false, usesChunks: usesChunks)
    }

    /// The connection closes after the present answer.
    @inline(__always)
    mutating func endPersistence() {
        isPersistent = false
    }

    /// The present request waits.
    mutating func wait() -> Step {
        activity = .waiting
        return inbound == .open ? .nothing : .endWait
    }

    /// The present request is answered. Returns true if another may follow.
    @inline(__always)
    mutating func finishAnswer() -> Bool {
        activity = isPersistent ? .idle : .closing
        return isPersistent
    }

    /// The present request is answered with a stream. Returns false if that has no content, because the request was
    /// HEAD.
    mutating func beginStream() -> Bool {
        guard !isHead else {
            _ = finishAnswer()
            return false
        }
        activity = .streaming
        return true
    }

    /// The stream has ended. Returns false if there was none.
    mutating func endStream() -> Bool {
        guard activity == .streaming else { return false }
        activity = .closing
        return true
    }

    // MARK: Sending

    /// Everything is sent.
    @inline(__always)
    func finishSending() -> Step {
        switch activity {
        case .closing: .linger
        case .streaming: .pull
        default: .nothing
        }
    }

    /// True if the peer has a limited time to take bytes that cannot be sent just now.
    var limitsStall: Bool { activity == .streaming || activity == .closing || activity == .idle }

    // MARK: The end

    /// Everything is sent on a connection that closes.
    mutating func linger() -> Step {
        guard inbound != .ended else { return .close }
        activity = .lingering
        return .discard
    }

    /// The connection closes as soon as everything is sent.
    mutating func closeWhenSent(isSent: Bool) -> Step {
        guard !isSent else { return .close }
        isPersistent = false
        activity = .closing
        return .nothing
    }

    mutating func close() {
        activity = .closed
    }

    /// The circumstances in which a deadline passes.
    struct Circumstances {
        /// True if a part of a request is there.
        var hasPartial = false
        /// True if everything is sent.
        var isSent = true
        var isDraining = false
    }

    /// The deadline has passed.
    func expire(_ circumstances: Circumstances) -> Step {
        switch activity {
        case .idle: circumstances.hasPartial && circumstances.isSent ? .refuseLateRequest : .close
        case .waiting: .endWait
        case .streaming: !circumstances.isSent ? .close : circumstances.isDraining ? .endStream : .sendHeartbeat
        case .closing, .lingering: .close
        case .answering, .closed: .nothing
        }
    }

    /// The server shuts down, and everything that was sent before is read.
    func drain(hasPartial: Bool) -> Step {
        switch activity {
        case .idle where !hasPartial: .closeWhenSent
        case .waiting: .endWait
        default: .nothing
        }
    }
}
