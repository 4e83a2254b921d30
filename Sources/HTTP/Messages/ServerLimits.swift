/// Limits on sizes, durations and counts.
package struct ServerLimits: Sendable {
    /// Bytes of the request line without its line end.
    package var requestLineBytes = 8 * 1_024
    /// Bytes of all header fields together.
    package var headerBytes = 16 * 1_024
    /// The number of header fields.
    package var fieldCount = 100
    /// Bytes of the body.
    package var bodyBytes = 1_024 * 1_024
    /// Seconds from the first to the last byte of a request.
    package var requestSeconds = 10
    /// Seconds from an answer to the next request.
    package var idleSeconds = 75
    /// Seconds for which a reader may accept no bytes.
    package var stallSeconds = 30
    /// Seconds between heartbeats on a silent stream.
    package var heartbeatSeconds = 15
    /// The number of open connections of all loops together.
    package var connectionCount = 10_000

    /// The defaults.
    package init() {}
}
