/// Buffers for what is being written, which go from hand to hand.
struct BufferPool: ~Copyable {
    /// How many are kept at the most,
    static let limit = Server.unsentLimit
    /// and how large.
    static let bytesLimit = 64 * 1_024
    /// How large a new one is.
    static let bytesAtFirst = 4_096

    private var buffers: [UnsafeMutableRawBufferPointer] = []

    /// How many there are.
    var count: Int { buffers.count }

    deinit {
        for buffer in buffers { buffer.deallocate() }
    }

    /// An empty one.
    @inline(__always)
    mutating func take() -> Outbox {
        if let buffer = buffers.popLast() { Outbox(in: buffer) } else { Outbox(capacity: Self.bytesAtFirst) }
    }

    /// Keeps the room of one that is needed no more, with whatever is in it, unless it is larger than is worth keeping.
    @inline(__always)
    mutating func keep(_ outbox: consuming Outbox) {
        guard (1...Self.bytesLimit).contains(outbox.capacity), buffers.count < Self.limit else { return }
        buffers.append(outbox.handOver())
    }
}
