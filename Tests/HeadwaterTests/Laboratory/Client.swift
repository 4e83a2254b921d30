import Glibc

/// The client's end of a connection. Each wait has a deadline.
final class Client {
    let descriptor: Int32
    private var incoming: Incoming
    private var isChunked = false
    private var events = ""

    /// Connects. A small receive buffer makes a slow reader.
    init(port: Int, receiveBytes: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Trouble("no socket: error \(errno)") }
        incoming = Incoming(descriptor)
        if var size = receiveBytes {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw Trouble("cannot connect: error \(errno)") }
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        close(descriptor)
    }

    /// Sends all bytes, however long the server takes to accept them.
    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Trouble("cannot send: error \(errno)") }
            sent += count
        }
    }

    /// Shuts down the sending side.
    func finish() {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Resets the connection.
    func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
        dup2(nothing, descriptor)
        close(nothing)
    }

    /// Reads the next answer.
    func response(isHead: Bool = false) throws -> Response {
        var response = try head()
        if isHead || response.status < 200 || response.status == 204 || response.status == 304 { return response }
        if let length = response["Content-Length"].flatMap({ Int($0) }) {
            response.body = try incoming.take(length, Deadline())
        } else if response["Transfer-Encoding"] == "chunked" {
            while let chunk = try chunk() { response.body += chunk }
        } else {
            response.body = Array(try incoming.rest(Deadline()).utf8)
        }
        return response
    }

    /// Reads the head of the next answer.
    func head() throws -> Response {
        guard let head = try incoming.upTo("\r\n\r\n", Deadline()) else {
            throw Trouble("the end came before an answer")
        }
        let response = try Response(head: head)
        isChunked = response["Transfer-Encoding"] == "chunked"
        return response
    }

    private func chunk() throws -> [UInt8]? {
        guard let line = try incoming.upTo("\r\n", Deadline()) else { return nil }
        guard let size = Int(line.dropLast(1), radix: 16) else { throw Trouble("no size of a chunk: \(line)") }
        let chunk = try incoming.take(size + 2, Deadline())
        return size == 0 ? nil : Array(chunk.dropLast(2))
    }

    /// Reads the next event, comment or other block of a stream; nil at its end.
    func block() throws -> String? {
        while true {
            if let end = events.range(ofTwoLineFeeds: ()) {
                defer { events = String(events[end...]) }
                return String(events[..<end])
            }
            guard let chunk = try chunk() else { return nil }
            events += String(decoding: chunk, as: UTF8.self)
        }
    }

    /// Reads the next event of a stream and skips comments; nil at its end.
    func event() throws -> Event? {
        while let block = try block() {
            let event = Event(block)
            if event.data != nil { return event }
        }
        return nil
    }

    /// Reads all bytes up to the end.
    func rest() throws -> String { try incoming.rest(Deadline()) }

    /// Returns true if the server closes the connection without further bytes.
    func isEnded() throws -> Bool { try incoming.rest(Deadline()).isEmpty }

    /// Returns true if unread bytes arrive within the given milliseconds.
    func hasMore(within milliseconds: Int32 = 0) -> Bool {
        if !incoming.isEmpty || !events.isEmpty { return true }
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }
}

extension String {
    /// The position after the first two consecutive line feeds.
    fileprivate func range(ofTwoLineFeeds: Void) -> Index? {
        var previous: Character = " "
        for index in indices {
            if self[index] == "\n", previous == "\n" { return self.index(after: index) }
            previous = self[index]
        }
        return nil
    }
}
