import HTTP

/// The end of a stream with a last event.
struct StreamEnding {
    private var piece: Piece?
    /// True once the stream sends nothing but its end.
    private(set) var isUnderWay = false

    /// Begins the end, unless it is under way.
    mutating func begin(with last: Piece) {
        guard !isUnderWay else { return }
        isUnderWay = true
        piece = last
    }

    /// Returns the event, once; after it, ends the stream of a connection.
    mutating func next(_ connection: Connection, _ delivery: Delivery) -> Piece? {
        guard let last = piece else {
            delivery.afterwards { [weak connection] in connection?.endStream() }
            return nil
        }
        piece = nil
        delivery.metrics.frames += 1
        return last
    }
}
