import Sockets

/// The bytes that a connection has yet to send: parts that it may share with others, and after those bytes of its own.
struct SendQueue: ~Copyable {
    /// From how many bytes on a content is shared, and not copied.
    static let sharedBytesAtLeast = 16 * 1_024

    /// Bytes of its own.
    var own = Outbox()
    /// The parts, which go first, in their order.
    private var parts: [[UInt8]] = []
    /// The bytes that were sent of the first part.
    private var sent = 0
    /// True if the buffer of its own bytes is borrowed.
    private var isBorrowed = false

    /// True if everything is sent.
    @inline(__always)
    var isEmpty: Bool { own.isEmpty && parts.isEmpty }

    /// The number of bytes.
    var count: Int { parts.reduce(own.count - sent) { $0 + $1.count } }

    /// Shares bytes, of which some were sent. There is nothing else to be sent.
    mutating func share(_ bytes: [UInt8], from sent: Int = 0) {
        guard sent < bytes.count else { return }
        parts = [bytes]
        self.sent = sent
    }

    /// Adds content behind everything that is here: large content as a part that is shared, small content to its own
    /// bytes.
    mutating func append(_ content: [UInt8]) {
        guard content.count >= Self.sharedBytesAtLeast else { return own.append(content) }
        if !own.isEmpty {
            let start = parts.isEmpty ? sent : 0
            if parts.isEmpty { sent = 0 }
            parts.append(Array(own.bytes[start...]))
            own.removeAll()
        }
        parts.append(content)
    }

    /// Sends what can be sent; what came of the last attempt. After `moved` there is nothing left.
    mutating func send(on socket: Socket) -> IOResult {
        while let first = parts.first {
            let transfer = socket.write(first, from: sent)
            guard case .moved(let count) = transfer else { return transfer }
            sent += count
            guard sent == first.count else { continue }
            parts.removeFirst()
            sent = 0
        }
        while sent < own.count {
            let transfer = socket.write(own.bytes, from: sent)
            guard case .moved(let count) = transfer else { return transfer }
            sent += count
        }
        let count = sent
        own.removeAll()
        sent = 0
        return .moved(count)
    }

    /// The bytes that are left, in one array.
    var rest: [UInt8] {
        parts.isEmpty ? Array(own.bytes[sent...]) : Array(parts.joined().dropFirst(sent)) + Array(own.bytes)
    }

    /// Borrows room for bytes of its own, unless it has some.
    @inline(__always)
    mutating func borrow(from pool: inout BufferPool) {
        guard own.capacity == 0 else { return }
        own = pool.take()
        isBorrowed = true
    }

    /// Gives borrowed room back. What has yet to be sent has to lie here for a while: it gets room that it fills.
    mutating func giveBack(to pool: inout BufferPool) {
        var rest = Outbox()
        if !own.isEmpty {
            guard isBorrowed else { return }
            rest = Outbox(UnsafeRawBufferPointer(rebasing: own.bytes[(parts.isEmpty ? sent : 0)...]))
            if parts.isEmpty { sent = 0 }
        }
        swap(&own, &rest)
        if isBorrowed { pool.keep(rest) }
        isBorrowed = false
    }

    /// Lets go of everything.
    mutating func removeAll() {
        own.removeAll()
        (parts, sent) = ([], 0)
    }
}
