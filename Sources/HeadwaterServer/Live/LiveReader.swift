import HTTP

/// One live stream: the step of the values that it has taken.
final class LiveReader: StreamSource, TokenReader {
    private let connection: Connection
    private let broadcaster: LiveBroadcaster
    private let use: TokenUse
    /// True if its client takes patches.
    let wantsPatches: Bool
    var position: ReaderPosition
    /// Its index among the readers of the broadcaster.
    var place = 0
    private var ending = StreamEnding()

    init(
        _ connection: Connection, _ broadcaster: LiveBroadcaster, _ use: TokenUse, _ position: ReaderPosition,
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

    /// Ends the stream with an event `error`, and sends nothing before it.
    func end(with problem: Problem) {
        end(with: problem.piece)
    }

    /// Ends the stream with a last event, and sends nothing before it.
    func end(with piece: Piece) {
        ending.begin(with: piece)
        wake()
    }

    func next() -> Piece? {
        ending.isUnderWay ? ending.next(connection, broadcaster.delivery) : broadcaster.next(for: self)
    }

    func left() {
        use.end()
        broadcaster.remove(self)
    }

    func tokenWithdrawn() { end() }
}
