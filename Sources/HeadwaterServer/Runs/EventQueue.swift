import HTTP

/// The events that wait for one reader of a run. Beyond its limits it drops the oldest, but never the newest.
struct EventQueue {
    /// The events at most,
    static let limit = 256
    /// and their bytes, beyond one event.
    static let bytesLimit = 24 * 1_024

    private var pieces: [Piece] = []
    private(set) var bytes = 0

    var count: Int { pieces.count }
    var isEmpty: Bool { pieces.isEmpty }

    /// Adds an event. Returns the number of events that it dropped.
    mutating func append(_ piece: Piece) -> Int {
        var dropped = 0
        while !pieces.isEmpty, pieces.count >= Self.limit || bytes + piece.count > Self.bytesLimit {
            _ = popFirst()
            dropped += 1
        }
        pieces.append(piece)
        bytes += piece.count
        return dropped
    }

    /// Removes the oldest event.
    mutating func popFirst() -> Piece? {
        guard !pieces.isEmpty else { return nil }
        let piece = pieces.removeFirst()
        bytes -= piece.count
        return piece
    }
}
