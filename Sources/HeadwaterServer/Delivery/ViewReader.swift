import HTTP
import StateStore

/// One stream of a broadcaster's views: the step of the values that it has taken.
final class ViewReader: StreamSource, TokenReader {
    /// The way in which a client reads a stream.
    struct Wishes {
        /// True if the client wants the versions of commits that changed no value.
        var wantsProgress = false
        /// True if it gets patches instead of values.
        var wantsPatches = false
        /// The row that the client has in a table while the stream is open; nil for none.
        var presence: PresenceRequest?
    }

    private let connection: Connection
    private let broadcaster: ViewBroadcaster
    private let use: TokenUse
    var position: ReaderPosition
    /// True if it gets patches instead of values.
    let wantsPatches: Bool
    /// The newest moment that the reader has received; nil if it does not want the progress of its space.
    var told: Moment?
    /// Its index among the readers of the broadcaster.
    var place = 0
    private var ending = StreamEnding()
    /// The stay of its client in a table; nil for none.
    var stay: PresenceStay?

    init(
        _ connection: Connection, _ broadcaster: ViewBroadcaster, _ use: TokenUse, _ position: ReaderPosition,
        wantsPatches: Bool
    ) {
        self.connection = connection
        self.broadcaster = broadcaster
        self.use = use
        self.position = position
        self.wantsPatches = wantsPatches
        use.begin(self)
    }

    /// Sends the newest values, unless the connection has not sent earlier ones yet.
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
        ending.isUnderWay
            ? ending.next(connection, broadcaster.delivery) : broadcaster.next(for: self)
    }

    func left() {
        stay = nil
        use.end()
        broadcaster.remove(self)
    }

    func tokenWithdrawn() { end() }
}
