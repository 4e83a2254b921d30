import HTTP
import StateStore

/// One stream of a broadcaster's views.
final class ViewReader: StepReader, StreamSource {
    /// The way in which a client reads a stream.
    struct Wishes {
        /// True if the client wants the versions of commits that changed no value.
        var wantsProgress = false
        /// True if it gets patches instead of values.
        var wantsPatches = false
        /// The row that the client has in a table while the stream is open; nil for none.
        var presence: PresenceRequest?
    }

    private let broadcaster: ViewBroadcaster

    init(
        _ connection: Connection, _ broadcaster: ViewBroadcaster, _ place: StreamPlace, _ position: ReaderPosition,
        wantsPatches: Bool
    ) {
        self.broadcaster = broadcaster
        super.init(connection, place, position, wantsPatches: wantsPatches)
    }

    func next() -> Piece? {
        isEnding ? nextOfEnd(broadcaster.delivery) : broadcaster.next(for: self)
    }

    func left() {
        stay = nil
        release()
        broadcaster.remove(self)
    }
}
