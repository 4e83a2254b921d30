import HTTP

/// One live stream: the step of the values that it has taken.
final class LiveReader: StreamSource, TokenReader {
    /// The place of a reader among the steps.
    enum Position {
        /// It has taken nothing; with `isReset` its client knows values of lives that have ended.
        case new(isReset: Bool)
        /// It came back with the id of the present values.
        case resumed
        /// It has taken the time to reconnect after, but no values.
        case begun
        /// It has taken the values of a step.
        case at(Int)
    }

    private let connection: Connection
    private let broadcaster: LiveBroadcaster
    private let use: TokenUse
    /// True if its client takes patches.
    let wantsPatches: Bool
    var position: Position

    init(
        _ connection: Connection, _ broadcaster: LiveBroadcaster, _ use: TokenUse, _ position: Position,
        wantsPatches: Bool
    ) {
        self.connection = connection
        self.broadcaster = broadcaster
        self.use = use
        self.position = position
        self.wantsPatches = wantsPatches
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
