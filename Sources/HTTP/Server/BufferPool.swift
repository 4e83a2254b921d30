/// A pool of reusable buffers for answers.
struct BufferPool: ~Copyable {
    /// The maximum number of buffers in the pool.
    static let limit = Server.unsentLimit
    /// The maximum size of a buffer in the pool.
    static let bytesLimit = 64 * 1_024
    /// The size of a new buffer.
    static let bytesAtFirst = 4_096

    private var buffers: [UnsafeMutableRawBufferPointer] = []

    /// The number of buffers in the pool.
    var count: Int { buffers.count }

    deinit {
        for buffer in buffers { buffer.deallocate() }
    }

    /// Takes an empty outbox from the pool, or creates one.
    @inline(__always)
    mutating func take() -> Outbox {
        if let buffer = buffers.popLast() { Outbox(in: buffer) } else { Outbox(capacity: Self.bytesAtFirst) }
    }

    /// Adds the memory of an outbox to the pool, unless the memory is too large or the pool is full. Discards its
    /// bytes.
    @inline(__always)
    mutating func keep(_ outbox: consuming Outbox) {
        guard (1...Self.bytesLimit).contains(outbox.capacity), buffers.count < Self.limit else { return }
        buffers.append(outbox.handOver())
    }
}
