/// How large a request may be, and how long things may take.
public struct Limits: Sendable {
    /// The request line, without its end.
    public var requestLineBytes = 8 * 1_024
    /// All header fields together.
    public var headerBytes = 16 * 1_024
    /// How many header fields there may be.
    public var fieldCount = 100
    /// The body.
    public var bodyBytes = 1_024 * 1_024
    /// From the first byte of a request to its last.
    public var requestSeconds = 10
    /// From an answer to the next request.
    public var idleSeconds = 75
    /// How long a reader may take nothing of what is sent.
    public var stallSeconds = 30
    /// How often something is sent on a stream that has nothing to say.
    public var heartbeatSeconds = 15
    /// How many connections there may be at once, of all loops.
    public var connectionCount = 10_000

    /// The usual ones.
    public init() {}
}
