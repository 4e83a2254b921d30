/// Rooms for what is being written, which go from hand to hand.
struct Spares: ~Copyable {
    /// How many are kept at the most,
    static let limit = Server.unsentLimit
    /// and how large.
    static let bytesLimit = 64 * 1_024
    /// How large a new one is.
    static let bytesAtFirst = 4_096

    private var rooms: [UnsafeMutableRawBufferPointer] = []

    /// How many there are.
    var count: Int { rooms.count }

    deinit {
        for room in rooms { room.deallocate() }
    }

    /// An empty one.
    @inline(__always)
    mutating func take() -> Outbox {
        if let room = rooms.popLast() { Outbox(in: room) } else { Outbox(capacity: Self.bytesAtFirst) }
    }

    /// Keeps the room of one that is needed no more, with whatever is in it, unless it is larger than is worth keeping.
    @inline(__always)
    mutating func keep(_ outbox: consuming Outbox) {
        guard (1...Self.bytesLimit).contains(outbox.capacity), rooms.count < Self.limit else { return }
        rooms.append(outbox.handOver())
    }
}
