internal import Glibc
import Sockets

/// The unsent bytes of a connection: ropes, which it may share with other connections, then bytes of its own.
struct SendQueue: ~Copyable {
    /// The minimum size of content that is shared instead of copied.
    static let sharedBytesAtLeast = 16 * 1_024

    /// The ropes of a queue, in their order. Never empty between two calls.
    private final class Shared {
        var ropes: [Rope]
        /// The index of the part of the first rope that is being sent.
        var part = 0
        /// The number of sent bytes of this part.
        var sent = 0
        /// The number of sent bytes of the whole first rope.
        var sentOfRope = 0

        init(_ ropes: [Rope]) {
            self.ropes = ropes
        }

        /// The number of unsent bytes.
        var count: Int { ropes.reduce(-sentOfRope) { $0 + $1.count } }

        /// Removes sent bytes. Returns the number of those that are not of the ropes.
        func noteSent(_ count: Int) -> Int {
            var left = count
            while let first = ropes.first {
                let step = min(left, first.part(part).count - sent)
                left -= step
                sent += step
                sentOfRope += step
                guard sent == first.part(part).count else { return 0 }
                part += 1
                sent = 0
                guard part == first.partCount else { continue }
                ropes.removeFirst()
                (part, sentOfRope) = (0, 0)
            }
            return left
        }
    }

    /// The bytes of its own.
    var own = Outbox()
    /// The ropes, which are sent first; nil if there is none.
    private var shared: Shared?
    /// The number of sent bytes of its own.
    private var sent: UInt32 = 0
    /// True if the buffer of its own bytes is borrowed.
    private var isBorrowed = false

    /// True if everything is sent.
    @inline(__always)
    var isEmpty: Bool { own.isEmpty && shared == nil }

    /// The number of bytes.
    var count: Int { own.count - Int(sent) + (shared?.count ?? 0) }

    /// Shares a rope of which `sent` bytes are already sent. Precondition: the queue is empty.
    mutating func share(_ bytes: Rope, from sent: Int = 0) {
        guard sent < bytes.count else { return }
        let shared = Shared([bytes])
        _ = shared.noteSent(sent)
        self.shared = shared
    }

    /// Appends content: large content as a shared rope, small content by copying it to its own bytes.
    mutating func append(_ content: Rope) {
        guard content.count >= Self.sharedBytesAtLeast else {
            for index in 0..<content.partCount { own.append(content.part(index)) }
            return
        }
        var ropes = [content]
        if !own.isEmpty {
            ropes.insert(Rope(Array(own.bytes[Int(sent)...])), at: 0)
            own.removeAll()
            sent = 0
        }
        if let shared { shared.ropes += ropes } else { shared = Shared(ropes) }
    }

    /// Sends as much as the socket accepts. Returns the result of the last write; after `moved` the queue is empty.
    /// With `endsRecord`, the system does not merge the bytes with later ones.
    mutating func send(on socket: Socket, endsRecord: Bool = false) -> IOResult {
        while let shared {
            let transfer = write(shared, on: socket, endsRecord)
            guard case .moved(let count) = transfer else { return transfer }
            // What is sent of its own bytes follows all ropes.
            sent += UInt32(shared.noteSent(count))
            if shared.ropes.isEmpty { self.shared = nil }
        }
        while sent < own.count {
            let transfer = socket.write(own.bytes, from: Int(sent), endsRecord: endsRecord)
            guard case .moved(let count) = transfer else { return transfer }
            sent += UInt32(count)
        }
        let count = Int(sent)
        own.removeAll()
        sent = 0
        return .moved(count)
    }

    /// Writes the ropes and its own bytes, with as many parts as one system call takes.
    private func write(_ shared: Shared, on socket: Socket, _ endsRecord: Bool) -> IOResult {
        if shared.ropes.count == 1, shared.ropes[0].rest.isEmpty, own.isEmpty {
            return socket.write(shared.ropes[0].first, from: shared.sent, endsRecord: endsRecord)
        }
        return withUnsafeTemporaryAllocation(of: iovec.self, capacity: Socket.buffersLimit) { buffers in
            write(shared, from: (0, shared.part), on: socket, endsRecord, buffers, 0)
        }
    }

    /// Adds the parts from a position on to `buffers`, which holds `count`, and writes all of them. Each part stays at
    /// its address until the call returns.
    private func write(
        _ shared: Shared, from place: (rope: Int, part: Int), on socket: Socket, _ endsRecord: Bool,
        _ buffers: UnsafeMutableBufferPointer<iovec>, _ count: Int
    ) -> IOResult {
        guard count < buffers.count, place.rope < shared.ropes.count else {
            var count = count
            if count < buffers.count, !own.isEmpty {
                buffers[count] = iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: own.bytes.baseAddress), iov_len: own.count)
                count += 1
            }
            return socket.write(
                UnsafeMutableBufferPointer(rebasing: buffers[..<count]), endsRecord: endsRecord)
        }
        let rope = shared.ropes[place.rope]
        let next = place.part + 1 < rope.partCount ? (place.rope, place.part + 1) : (place.rope + 1, 0)
        return rope.part(place.part).withUnsafeBytes { bytes in
            let start = count == 0 ? shared.sent : 0
            guard bytes.count > start else {
                return write(shared, from: next, on: socket, endsRecord, buffers, count)
            }
            buffers[count] = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress.map { $0 + start }),
                iov_len: bytes.count - start)
            return write(shared, from: next, on: socket, endsRecord, buffers, count + 1)
        }
    }

    /// The unsent bytes in one array.
    var rest: [UInt8] {
        let ropes = shared.map { $0.ropes.flatMap(\.joined).dropFirst($0.sentOfRope) } ?? []
        return Array(ropes) + Array(own.bytes[Int(sent)...])
    }

    /// Borrows a buffer for bytes of its own, unless it has one.
    @inline(__always)
    mutating func borrow(from pool: inout BufferPool) {
        guard own.capacity == 0 else { return }
        own = pool.take()
        isBorrowed = true
    }

    /// Returns a borrowed buffer to the pool. Unsent bytes move to memory of exactly their size.
    mutating func giveBack(to pool: inout BufferPool) {
        var rest = Outbox()
        if !own.isEmpty {
            guard isBorrowed else { return }
            rest = Outbox(UnsafeRawBufferPointer(rebasing: own.bytes[Int(sent)...]))
            sent = 0
        }
        swap(&own, &rest)
        if isBorrowed { pool.keep(rest) }
        isBorrowed = false
    }

    /// Removes all ropes and bytes.
    mutating func removeAll() {
        own.removeAll()
        (shared, sent) = (nil, 0)
    }
}
