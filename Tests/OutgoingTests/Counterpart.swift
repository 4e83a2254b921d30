import Foundation
import Glibc
import Synchronization

/// A server of a few lines, which does to each connection whatever a test writes: the other side of what is fetched.
final class Counterpart: Sendable {
    /// A connection, to be answered well or badly.
    struct Line {
        let socket: Int32

        /// The next request as it came, up to the end of its header and whatever came with that; nil at the end of the connection.
        func request() -> String? {
            var text: [UInt8] = []
            var byte: UInt8 = 0
            while !text.suffix(4).elementsEqual([13, 10, 13, 10]) {
                guard read(socket, &byte, 1) == 1 else { return nil }
                text.append(byte)
            }
            var head = String(decoding: text, as: UTF8.self)
            if let range = head.range(of: "Content-Length: "), let length = Int(head[range.upperBound...].prefix { $0.isNumber }) {
                var body = [UInt8](repeating: 0, count: length)
                var count = 0
                while count < length {
                    let more = body.withUnsafeMutableBytes { read(socket, $0.baseAddress! + count, length - count) }
                    guard more > 0 else { return nil }
                    count += more
                }
                head += String(decoding: body, as: UTF8.self)
            }
            return head
        }

        /// Sends bytes; whether somebody still takes them.
        @discardableResult
        func send(_ text: String) -> Bool {
            send(Array(text.utf8))
        }

        @discardableResult
        func send(_ bytes: [UInt8]) -> Bool {
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes {
                    Glibc.send(socket, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }

        /// Answers as one should.
        func answer(_ body: String, status: String = "200 OK", fields: String = "") {
            send("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)")
        }

        /// Hands on what either side says until one has gone; `hear` is told what this one says.
        func pass(to other: Line, hear: (String) -> Void) {
            defer { Glibc.close(other.socket) }
            while true {
                var sides = [
                    pollfd(fd: socket, events: Int16(POLLIN), revents: 0), pollfd(fd: other.socket, events: Int16(POLLIN), revents: 0),
                ]
                guard poll(&sides, 2, 60_000) > 0 else { return }
                for (index, from, to) in [(0, self, other), (1, other, self)] where sides[index].revents != 0 {
                    var bytes = [UInt8](repeating: 0, count: 16_384)
                    let count = read(from.socket, &bytes, bytes.count)
                    guard count > 0, to.send(Array(bytes.prefix(count))) else { return }
                    if index == 0 { hear(String(decoding: bytes.prefix(count), as: UTF8.self)) }
                }
            }
        }

        /// Waits until the other side has gone.
        func waitForEnd() {
            var byte: UInt8 = 0
            while read(socket, &byte, 1) == 1 {}
        }
    }

    /// Where a port of this machine is.
    fileprivate static func address(port: UInt16 = 0) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = port.bigEndian
        return address
    }

    let port: UInt16
    private let listener: Int32
    private let connections = Mutex(0)

    /// Listens, and does `serve` with each connection on a thread of its own; it is closed after that.
    init(_ serve: @escaping @Sendable (Line) -> Void) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.address()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
        Thread { [self] in
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else {
                    // By whoever uses it, for its number would soon be another's.
                    Glibc.close(listener)
                    return
                }
                connections.withLock { $0 += 1 }
                Thread {
                    serve(Line(socket: socket))
                    Glibc.close(socket)
                }.start()
            }
        }.start()
    }

    /// Answers every request of every connection.
    static func answering(_ answer: @escaping @Sendable (Line, String) -> Void) throws -> Counterpart {
        try Counterpart { line in
            while let request = line.request() { answer(line, request) }
        }
    }

    func close() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    var url: String { "http://127.0.0.1:\(port)" }

    /// How many connections were made.
    var connectionCount: Int { connections.withLock { $0 } }
}

extension Counterpart.Line {
    /// A connection to a port of this machine; nil where nobody listens.
    init?(to port: UInt16) {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Counterpart.address(port: port)
        let isConnected = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            close(socket)
            return nil
        }
    }
}

/// Something that comes later, from whatever thread.
final class Later<Value: Sendable>: @unchecked Sendable {
    // Sendable because the value is touched only while the condition is held.
    private let condition = NSCondition()
    private var value: Value?

    func come(_ value: Value) {
        condition.withLock {
            self.value = value
            condition.broadcast()
        }
    }

    struct NotInTime: Error {}

    func wait(seconds: Double = 60) throws -> Value {
        condition.lock()
        defer { condition.unlock() }
        let deadline = Date(timeIntervalSinceNow: seconds)
        while value == nil {
            guard condition.wait(until: deadline) else { throw NotInTime() }
        }
        return value!
    }
}
