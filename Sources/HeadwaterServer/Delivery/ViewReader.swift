import HTTP

/// One stream of a broadcaster's views: the step of the values that it has taken.
final class ViewReader: StreamSource, TokenReader {
    /// The step of a reader that has taken nothing,
    static let new = -1
    /// of one that came back with the tag of the current values,
    static let resumed = -2
    /// and of one that has taken the time to reconnect after, but no values.
    static let begun = -3

    private let connection: Connection
    private let broadcaster: ViewBroadcaster
    private let use: TokenUse
    /// The step of the newest values that it has taken.
    var step: Int
    /// Its index among the readers of the broadcaster.
    var place = 0

    init(_ connection: Connection, _ broadcaster: ViewBroadcaster, _ use: TokenUse, isResumed: Bool) {
        self.connection = connection
        self.broadcaster = broadcaster
        self.use = use
        step = isResumed ? Self.resumed : Self.new
        use.begin(self)
    }

    /// Sends the newest values, unless the connection has yet to take earlier ones.
    func wake() { connection.wake() }

    /// Ends the stream.
    func end() { connection.endStream() }

    func next() -> Piece? { broadcaster.next(for: self) }

    func left() {
        use.end()
        broadcaster.remove(self)
    }

    func tokenWithdrawn() { end() }
}
