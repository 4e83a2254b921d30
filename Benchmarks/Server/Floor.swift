import CLinux
import Glibc

/// The floor, a reference server: the minimum work of a server of this kind, on one thread.
///
/// It answers every request with the same bytes, and sends every subscriber one event per POST, with one write each. It
/// has no routes, no state, no limits and no safety, and serves only as a measure.
///
/// A request is a POST (answered, then sent to all subscribers and waiters), `GET /events` (subscribes), `GET /wait`
/// (waits for the next POST), or any other GET (answered). If a file is given, the server appends the POSTs of each
/// round to it and syncs once before it answers them.
enum Floor {
    private static let answer = Array(
        ("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nETag: \"v1234567.1234\"\r\nContent-Length: 60\r\n"
            + "Date: Sat, 21 Nov 2026 11:50:22 GMT\r\n\r\n{\"space\":\"main\",\"version\":1,\"changed\":[\"user.isLoggedIn\"]}  ")
            .utf8)
    private static let event = Array("2d\r\nid: TD8usHrItGDz4zGhV4VGxA\ndata: \"12345678\"  \n\n\r\n".utf8)
    private static let head = Array(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)

    /// Serves until it is killed. Its first line of output contains its port, as headwater's does.
    static func run(keepingIn file: String?) {
        let file = file.map { open($0, O_CREAT | O_WRONLY | O_APPEND, 0o600) }
        var subscribers: [Int32] = []
        var waiting: [Int32] = []
        var kept: [UInt8] = []
        var unanswered: [Int32] = []
        func write(_ bytes: [UInt8], to descriptor: Int32) { send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
        forEachRequest(of: "floor") { descriptor, buffer, length in
            if buffer[0] == UInt8(ascii: "P"), file != nil {
                kept += buffer[0..<length]
                unanswered.append(descriptor)
            } else if buffer[0] == UInt8(ascii: "P") {
                // Several requests may arrive at once. No benchmark request has a P in its body.
                for position in 0..<length
                where buffer[position] == UInt8(ascii: "P") && buffer[position + 1] == UInt8(ascii: "O") {
                    write(answer, to: descriptor)
                    for subscriber in subscribers { write(event, to: subscriber) }
                    for waiter in waiting { write(answer, to: waiter) }
                    waiting.removeAll(keepingCapacity: true)
                }
            } else if buffer[5] == UInt8(ascii: "e") {
                write(head, to: descriptor)
                subscribers.append(descriptor)
            } else if buffer[5] == UInt8(ascii: "w") {
                waiting.append(descriptor)
            } else {
                write(answer, to: descriptor)
            }
        } closed: { descriptor in
            subscribers.removeAll { $0 == descriptor }
            waiting.removeAll { $0 == descriptor }
        } roundEnded: {
            guard let file, !unanswered.isEmpty else { return }
            precondition(
                Glibc.write(file, kept, kept.count) == kept.count && fdatasync(file) == 0, "the floor cannot write")
            for descriptor in unanswered { write(answer, to: descriptor) }
            kept.removeAll(keepingCapacity: true)
            unanswered.removeAll(keepingCapacity: true)
        }
    }

    /// Calls `request` with the connection, the buffer and the number of bytes of each request, `closed` with each
    /// connection that ends, and `roundEnded` after the requests that arrived together, until the process is killed.
    static func forEachRequest(
        of name: String, _ request: (Int32, [UInt8], Int) -> Void, closed: (Int32) -> Void = { _ in },
        roundEnded: () -> Void = {}
    ) {
        let listener = listener(name)
        let poll = epoll_create1(0)
        add(listener, to: poll)
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = Int(epoll_wait(poll, &events, 256, -1))
            for index in 0..<max(0, count) {
                let descriptor = events[index].data.fd
                if descriptor == listener {
                    while case let accepted = accept_nonblocking(listener), accepted >= 0 { add(accepted, to: poll) }
                    continue
                }
                let length = recv(descriptor, &buffer, buffer.count, 0)
                if length > 0 {
                    request(descriptor, buffer, length)
                } else if length == 0 || errno != EAGAIN {
                    closed(descriptor)
                    close(descriptor)
                }
            }
            roundEnded()
        }
    }

    private static func add(_ descriptor: Int32, to poll: Int32) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.fd = descriptor
        epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event)
    }

    /// A listening socket on a free port, which it prints.
    private static func listener(_ name: String) -> Int32 {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var one: Int32 = 1
        setsockopt(listener, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 4_096) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        precondition(isBound, "the \(name) has no port")
        print("\(name) listening on http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))")
        fflush(nil)
        return listener
    }
}
