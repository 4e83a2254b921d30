import CLinux
import Glibc

/// A load generator on one thread with many connections. Each sends a request after the previous response, or receives
/// a stream and counts its events.
final class LoadClient {
    private struct LoadConnection {
        let descriptor: Int32
        /// The missing bytes of a response; nil before its header.
        var missing: Int?
        var isStream = false
        /// The last byte received: two consecutive newlines end an event.
        var last: UInt8 = 0
    }

    private let poll = epoll_create1(0)
    private var connections: [LoadConnection] = []
    private var buffer = [UInt8](repeating: 0, count: 256 * 1_024)
    private var events = [epoll_event](repeating: epoll_event(), count: 512)

    /// Opens `count` connections.
    init(_ count: Int, to port: UInt16) {
        for index in 0..<count {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let isConnected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            precondition(descriptor >= 0 && isConnected, "cannot connect \(count) times: raise the limit of open files")
            var one: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
            var event = epoll_event()
            event.events = EPOLLIN.rawValue
            event.data.u32 = UInt32(index)
            epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event)
            connections.append(LoadConnection(descriptor: descriptor))
        }
    }

    deinit {
        for connection in connections { close(connection.descriptor) }
        close(poll)
    }

    func send(_ bytes: [UInt8], on index: Int) {
        precondition(
            Glibc.send(connections[index].descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count,
            "the server closed the connection")
        connections[index].missing = nil
    }

    /// Sends a request on each connection, and the next after each response, for `seconds`. Returns the number of
    /// responses.
    func requests(_ bytes: [UInt8], seconds: Double) -> Int { requests({ _ in bytes }, seconds: seconds) }

    /// As above, but `next` creates each request for the index of its connection.
    func requests(_ next: (Int) -> [UInt8], seconds: Double) -> Int {
        for index in connections.indices { send(next(index), on: index) }
        let end = WallClock.now + seconds
        var answered = 0
        var isOver = false
        var open = connections.count
        while open > 0 {
            if !isOver, WallClock.now > end { isOver = true }
            receive { [self] index in
                answered += 1
                if isOver { open -= 1 } else { send(next(index), on: index) }
            } event: { _ in
            }
        }
        return answered
    }

    /// As above, at a steady rate of `pace` requests per second, each on the connection that has been idle longest. It
    /// polls without sleeping, to keep the rate exact.
    func requests(_ next: (Int) -> [UInt8], seconds: Double, perSecond pace: Double) -> Int {
        var resting = Array(connections.indices)
        var first = 0
        let start = WallClock.now
        var sent = 0
        var answered = 0
        while true {
            let time = WallClock.now - start
            if time > seconds, answered == sent { return answered }
            while time <= seconds, Double(sent) < time * pace, first < resting.count {
                send(next(resting[first]), on: resting[first])
                first += 1
                sent += 1
            }
            receive(milliseconds: 0) { index in
                answered += 1
                resting.append(index)
            } event: { _ in
            }
            if first > 1_000 {
                resting.removeFirst(first)
                first = 0
            }
        }
    }

    /// Waits for data, and reports every complete response and event.
    func receive(milliseconds: Int32 = 2_000, answer: (Int) -> Void, event: (Int) -> Void) {
        let count = epoll_wait(poll, &events, 512, milliseconds)
        precondition(count != 0 || milliseconds == 0, "the server does not answer")
        for position in 0..<max(0, Int(count)) {
            let index = Int(events[position].data.u32)
            let length = recv(connections[index].descriptor, &buffer, buffer.count, 0)
            precondition(length > 0, "the server closed a connection")
            take(length, index, answer, event)
        }
    }

    private func take(_ length: Int, _ index: Int, _ answer: (Int) -> Void, _ event: (Int) -> Void) {
        if connections[index].isStream {
            for position in 0..<length {
                if buffer[position] == 10, connections[index].last == 10 { event(index) }
                connections[index].last = buffer[position]
            }
            return
        }
        if let missing = connections[index].missing {
            connections[index].missing = missing - length
        } else {
            connections[index].missing = missingAfterHead(length)
        }
        if connections[index].missing == 0 { answer(index) }
    }

    /// Returns the number of response bytes that are missing after the first piece, which contains the whole header.
    ///
    /// The search must be fast: a client slower than the server would measure how often the server falls asleep.
    private func missingAfterHead(_ length: Int) -> Int {
        buffer.withUnsafeBytes { buffer in
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<length])
            let isGood = length > 10 && (bytes[9] == UInt8(ascii: "2") || bytes[9] == UInt8(ascii: "3"))
            precondition(isGood, "the server refused: \(String(decoding: bytes.prefix(300), as: UTF8.self))")
            guard let end = Self.place("\r\n\r\n", in: bytes) else {
                preconditionFailure("a response came in small pieces")
            }
            if keepsTags, let tag = Self.place("ETag: \"", in: bytes) {
                lastTag = String(decoding: bytes[(tag + 7)...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
            }
            guard let field = Self.place("\r\nContent-Length: ", in: bytes), field < end else { return 0 }
            var content = 0
            for byte in bytes[(field + 18)...] {
                guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { break }
                content = content * 10 + Int(byte - UInt8(ascii: "0"))
            }
            return content - (length - end - 4)
        }
    }

    private static func place(_ text: StaticString, in bytes: UnsafeRawBufferPointer) -> Int? {
        var position = 0
        let length = text.utf8CodeUnitCount
        while position + length <= bytes.count {
            guard
                let found = memchr(
                    bytes.baseAddress! + position, Int32(text.utf8Start[0]), bytes.count - position - length + 1)
            else {
                return nil
            }
            position = bytes.baseAddress!.distance(to: UnsafeRawPointer(found))
            if memcmp(found, text.utf8Start, length) == 0 { return position }
            position += 1
        }
        return nil
    }

    /// Sends a request for a stream on every connection.
    func subscribe(_ bytes: [UInt8]) { subscribe { _ in bytes } }

    /// As above, but `request` creates each request for the index of its connection.
    func subscribe(_ request: (Int) -> [UInt8]) {
        for index in connections.indices {
            send(request(index), on: index)
            connections[index].isStream = true
        }
    }

    /// Waits for responses to requests pipelined on the only connection. Returns the number received.
    func takeAnswers() -> Int {
        let length = recv(connections[0].descriptor, &buffer, buffer.count, 0)
        precondition(length > 0, "the server closed a connection")
        return (0..<max(0, length - 5)).count {
            buffer[$0] == 72 && buffer[$0 + 1] == 84 && buffer[$0 + 2] == 84 && buffer[$0 + 3] == 80
        }
    }

    /// Discards the data that has arrived.
    func drain() {
        while case let count = epoll_wait(poll, &events, 512, 0), count > 0 {
            for position in 0..<Int(count) {
                recv(connections[Int(events[position].data.u32)].descriptor, &buffer, buffer.count, 0)
            }
        }
    }

    /// The entity tag of the last response, recorded only if `keepsTags` is set.
    private(set) var lastTag = ""
    var keepsTags = false

    /// Waits until no data arrives for 200 ms.
    func settle() {
        while true {
            let count = epoll_wait(poll, &events, 512, 200)
            if count <= 0 { return }
            for position in 0..<Int(count) {
                recv(connections[Int(events[position].data.u32)].descriptor, &buffer, buffer.count, 0)
            }
        }
    }
}
