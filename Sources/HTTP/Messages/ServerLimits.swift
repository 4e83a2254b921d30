/// Limits on sizes, durations and counts.
public struct ServerLimits: Sendable {
    /// Bytes of the request line without its line end.
    public var requestLineBytes = 8 * 1_024
    /// Bytes of all header fields together.
    public var headerBytes = 16 * 1_024
    /// The number of header fields.
    public var fieldCount = 100
    /// Bytes of the body.
    public var bodyBytes = 1_024 * 1_024
    /// Seconds from the first to the last byte of a request.
    public var requestSeconds = 10
    /// Seconds from an answer to the next request.
    public var idleSeconds = 75
    /// Seconds for which a reader may accept no bytes.
    public var stallSeconds = 30
    /// Seconds between heartbeats on a silent stream.
    public var heartbeatSeconds = 15
    /// The number of open connections of all loops together.
    public var connectionCount = 10_000

    /// The defaults.
    public init() {}
}
