/// One stream: the pieces that one connection sends.
///
/// A connection takes a piece only when the peer has taken the bytes before, all but 32 KiB: 16 KiB in the connection
/// and 16 KiB in the system. A source that keeps pieces for its reader keeps at most 24 KiB of them, so that what a slow
/// reader has yet to get is less than 64 KiB and one piece.
public protocol StreamSource: AnyObject {
    /// Returns the next piece after those that the connection has taken, or nil if there is none just now.
    func next() -> Piece?
    /// Ends the stream: it was ended, or its connection closed.
    func left()
}

/// The wait of one request.
public protocol Waiter: AnyObject {
    /// Answers the request: its time is over, or its sender sends nothing more.
    func waited()
    /// Ends the wait of a request that cannot be answered, because its connection closed.
    func left()
}
