import Sockets

/// What a connection has yet to send: a piece that it shares with others, and after that bytes of its own.
struct Output: ~Copyable {
    /// Bytes of its own.
    var own = Outbox()
    /// Bytes of a piece, which go first.
    private var shared: [UInt8] = []
    /// How much was sent of what goes next.
    private var sent = 0
    /// Whether the room of its own bytes is borrowed.
    private var isBorrowed = false

    /// Whether everything is sent.
    @inline(__always)
    var isEmpty: Bool { own.isEmpty && shared.isEmpty }

    /// How many bytes there are.
    var count: Int { shared.count + own.count - sent }

    /// Shares bytes, of which some were sent. There is nothing else to be sent.
    mutating func share(_ bytes: [UInt8], from sent: Int = 0) {
        shared = bytes
        self.sent = sent
    }

    /// Sends what can be sent; what came of the last attempt. After `moved` there is nothing left.
    mutating func send(on socket: Socket) -> IOResult {
        while !shared.isEmpty {
            let transfer = socket.write(shared, from: sent)
            guard case .moved(let count) = transfer else { return transfer }
            sent += count
            if sent == shared.count { (shared, sent) = ([], 0) }
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

    /// What is left, by itself.
    var rest: [UInt8] {
        shared.isEmpty ? Array(own.bytes[sent...]) : Array(shared[sent...] + own.bytes)
    }

    /// Borrows room for bytes of its own, unless it has some.
    @inline(__always)
    mutating func borrow(from spares: inout Spares) {
        guard own.capacity == 0 else { return }
        own = spares.take()
        isBorrowed = true
    }

    /// Gives borrowed room back. What has yet to be sent has to lie here for a while: it gets room that it fills.
    mutating func giveBack(to spares: inout Spares) {
        var rest = Outbox()
        if !own.isEmpty {
            guard isBorrowed else { return }
            rest = Outbox(UnsafeRawBufferPointer(rebasing: own.bytes[(shared.isEmpty ? sent : 0)...]))
            if shared.isEmpty { sent = 0 }
        }
        swap(&own, &rest)
        if isBorrowed { spares.keep(rest) }
        isBorrowed = false
    }

    /// Lets go of everything.
    mutating func removeAll() {
        own.removeAll()
        (shared, sent) = ([], 0)
    }
}
