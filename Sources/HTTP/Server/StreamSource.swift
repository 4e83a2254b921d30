/// The source of one stream: it provides the pieces that a connection sends.
///
/// A connection takes a piece only when at most 32 KiB of earlier bytes are unsent: 16 KiB in the connection and 16 KiB
/// in the system. A source that queues pieces for its reader queues at most 24 KiB. So a slow reader has less than 64
/// KiB and one piece outstanding.
package protocol StreamSource: AnyObject {
    /// Returns the next piece that the connection has not taken, or nil if there is none yet.
    func next() -> Piece?
    /// Called when the stream has ended or its connection has closed.
    func left()
    /// The bytes that keep a silent stream open; nil for those of server-sent events.
    var heartbeat: Piece? { get }
}

extension StreamSource {
    package var heartbeat: Piece? { nil }
}

/// The owner of one waiting request.
package protocol Waiter: AnyObject {
    /// Answers the request. Called when its time is over, or when the client has ended its direction.
    func waited()
    /// Ends the wait of a request whose connection has closed.
    func left()
}
