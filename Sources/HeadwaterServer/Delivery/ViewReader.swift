import HTTP
import StateStore

/// One stream of a broadcaster's views: the step of the values that it has taken.
final class ViewReader: StreamSource, TokenReader {
    /// The position of a reader among the steps.
    enum Position {
        /// The reader has taken no event; with `isReset` its client has values of another life.
        case new(isReset: Bool)
        /// The client has reconnected with the tag of a step.
        case resumed(Int)
        /// The reader has taken the reconnection delay, but no values.
        case begun
        /// The reader has taken the values of a step.
        case at(Int)
    }

    /// The way in which a client reads a stream.
    struct Wishes {
        /// True if the client wants the versions of commits that changed no value.
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
    /// The newest moment that the reader has received; nil if it does not want the progress of its space.
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

    /// Sends the newest values, unless the connection has not sent earlier ones yet.
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
