/// The state of a connection: a pure state machine. Each event returns a step, which the connection performs.
///
///     idle ─ begin ─► answering ─ wait ─► waiting
///      ▲                  │ │                │
///      └answered, taken up┘ └─ beginStream ─►│ streaming
///                         │                  │     │
///                         └─► closing ◄──────┴─────┘
///                               └─ sent ─► lingering ─► closed
struct ConnectionState: Equatable {
    /// The current activity of a connection.
    enum Activity {
        /// The connection waits for a request, or for the rest of one.
        case idle
        /// A request waits for its answer.
        case answering
        /// A request waits deliberately (long poll).
        case waiting
        /// The connection sends a stream.
        case streaming
        /// The connection closes as soon as everything is sent.
        case closing
        /// Everything is sent, and the sending direction is shut down. Further bytes of the peer are dropped, because
        /// closing at once could destroy the answer.
        case lingering
        case closed
    }

    /// The receiving direction.
    enum Inbound {
        case open
        /// The peer has ended its direction; some bytes are unread.
        case ending
        /// All bytes of the peer are read.
        case ended
    }

    /// The next step of the connection.
    enum Step {
        case nothing
        /// Read requests.
        case read
        /// Drop the readable bytes.
        case discard
        /// Make the waiter answer its request.
        case endWait
        /// Take the next pieces of the stream.
        case pull
        /// Send a heartbeat.
        case sendHeartbeat
        /// End the stream.
        case endStream
        /// Refuse a request that took too long to arrive.
        case refuseLateRequest
        /// Close as soon as everything is sent.
        case closeWhenSent
        /// Shut down the sending direction and wait for the end of the peer.
        case linger
        /// Close at once.
        case close
    }

    private(set) var activity = Activity.idle
    private(set) var inbound = Inbound.open
    /// True if another request may follow the current one.
    private(set) var isPersistent = true
    /// True if the answer to the current request has no content.
    private(set) var isHead = false
    /// True if the client supports chunks.
    private(set) var usesChunks = true
    /// True if a stream leaves the connection open, so that its answer has no `Connection: close`.
    var keepsStreamOpen: Bool { isPersistent && usesChunks }
    /// True if the socket may have unread bytes.
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

    /// True once the connection reads no further request.
    var isOver: Bool { activity == .closing || activity == .lingering || activity == .closed }

    // MARK: The peer

    /// Notes that the peer has ended its direction after the readable bytes.
    mutating func noteEnding() {
        if inbound == .open { inbound = .ending }
    }

    /// Takes the event that bytes, or the end of the peer, can be read.
    mutating func becomeReadable() -> Step {
        switch activity {
        case .idle: return .read
        case .answering: mayHaveMore = true
        case .waiting:
            mayHaveMore = true
            // A client that has ended its direction has most likely gone. It gets the answer of the end of its wait.
            if inbound != .open { return .endWait }
        case .streaming, .lingering: return .discard
        case .closing, .closed: break
        }
        return .nothing
    }

    /// Takes the event that all bytes of the peer are read.
    mutating func reachEnd() -> Step {
        inbound = .ended
        switch activity {
        // Requests that were read are still answered.
        case .idle: return .closeWhenSent
        // The peer may still read, so its stream ends properly.
        case .streaming: return .endStream
        default: return .close
        }
    }

    // MARK: Requests and answers

    /// Begins a request, which the connection passes to the handler.
    @inline(__always)
    mutating func begin(isPersistent: Bool, isHead: Bool, usesChunks: Bool) {
        self.isPersistent = isPersistent
        self.isHead = isHead
        self.usesChunks = usesChunks
        activity = .answering
    }

    /// Begins the refusal of invalid bytes.
    mutating func beginRefusal() {
        begin(isPersistent: false, isHead: false, usesChunks: usesChunks)
    }

    /// Makes the connection close after the current answer.
    @inline(__always)
    mutating func endPersistence() {
        isPersistent = false
    }

    /// Ends the time in which the current request could not be decided: it begins again.
    mutating func takeUp() {
        activity = .idle
    }

    /// Makes the current request wait.
    mutating func wait() -> Step {
        activity = .waiting
        return inbound == .open ? .nothing : .endWait
    }

    /// The answer of the waiting request is being made. Returns false if none waits.
    mutating func stopWaiting() -> Bool {
        guard activity == .waiting else { return false }
        activity = .answering
        return true
    }

    /// Ends the current request. Returns true if another may follow.
    @inline(__always)
    mutating func finishAnswer() -> Bool {
        activity = isPersistent ? .idle : .closing
        return isPersistent
    }

    /// Answers the current request with a stream. Returns false if the stream has no content, because the request is
    /// HEAD.
    mutating func beginStream() -> Bool {
        guard !isHead else {
            _ = finishAnswer()
            return false
        }
        activity = .streaming
        return true
    }

    /// Ends the stream. Returns false if there was none.
    mutating func endStream() -> Bool {
        guard activity == .streaming else { return false }
        activity = .closing
        return true
    }

    // MARK: Sending

    /// Takes the event that everything is sent.
    @inline(__always)
    func finishSending() -> Step {
        switch activity {
        case .closing: .linger
        case .streaming: .pull
        default: .nothing
        }
    }

    /// True if the peer has a limited time to accept unsent bytes.
    var limitsStall: Bool { activity == .streaming || activity == .closing || activity == .idle }

    // MARK: The end

    /// Takes the event that everything is sent on a closing connection.
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

    /// The circumstances of a passed deadline.
    struct Circumstances {
        /// True if a part of a request has arrived.
        var hasPartial = false
        /// True if everything is sent.
        var isSent = true
        var isDraining = false
    }

    /// Takes the event that the deadline has passed.
    func expire(_ circumstances: Circumstances) -> Step {
        switch activity {
        case .idle: circumstances.hasPartial && circumstances.isSent ? .refuseLateRequest : .close
        case .waiting: .endWait
        case .streaming: !circumstances.isSent ? .close : circumstances.isDraining ? .endStream : .sendHeartbeat
        case .closing, .lingering: .close
        case .answering, .closed: .nothing
        }
    }

    /// Takes the event that the server shuts down. Precondition: all bytes sent before are read.
    func drain(hasPartial: Bool) -> Step {
        switch activity {
        case .idle where !hasPartial: .closeWhenSent
        case .waiting: .endWait
        default: .nothing
        }
    }
}
