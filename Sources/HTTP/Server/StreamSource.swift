/// One stream: the pieces that one connection sends.
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
