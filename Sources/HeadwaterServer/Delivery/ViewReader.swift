import HTTP
import StateStore

/// One stream of a broadcaster's views: the step of the values that it has taken.
final class ViewReader: StreamSource, TokenReader {
    /// The place of a reader among the steps.
    enum Position {
        /// It has taken nothing; with `isReset` its client knows values of another life.
        case new(isReset: Bool)
        /// It came back with the tag of the values of a step.
        case resumed(Int)
        /// It has taken the time to reconnect after, but no values.
        case begun
        /// It has taken the values of a step.
        case at(Int)
    }

    /// The way in which a client reads a stream.
    struct Wishes {
        /// True if it is told commits that changed none of the values.
        var wantsProgress = false
        /// True if it gets patches instead of values.
        var wantsPatches = false
    }

    private let connection: Connection
    private let broadcaster: ViewBroadcaster
    private let use: TokenUse
    var position: Position
    /// True if it gets patches instead of values.
    let wantsPatches: Bool
    /// The newest moment that the reader was told, if it is told the progress of its space.
    var told: Moment?
    /// Its index among the readers of the broadcaster.
    var place = 0

    init(
        _ connection: Connection, _ broadcaster: ViewBroadcaster, _ use: TokenUse, _ position: Position,
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
