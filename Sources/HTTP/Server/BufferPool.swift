/// Buffers for answers, which are used again.
struct BufferPool: ~Copyable {
    /// The buffers that are kept at most,
    static let limit = Server.unsentLimit
    /// and the size of the largest.
    static let bytesLimit = 64 * 1_024
    /// The size of a new buffer.
    static let bytesAtFirst = 4_096

    private var buffers: [UnsafeMutableRawBufferPointer] = []

    /// The number of buffers.
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
