import Foundation
import Glibc
import Synchronization

/// A small server with a scripted response for each connection: the remote side of a fetch.
final class ScriptedServer: Sendable {
    /// A connection, to be answered correctly or incorrectly.
    struct ServerConnection {
        let socket: Int32

        /// Reads the next request up to the end of its header, with any bytes that arrived with it; nil at the end of
        /// the connection.
        func request() -> String? {
            var text: [UInt8] = []
            var byte: UInt8 = 0
            while !text.suffix(4).elementsEqual([13, 10, 13, 10]) {
                guard read(socket, &byte, 1) == 1 else { return nil }
                text.append(byte)
            }
            var head = String(decoding: text, as: UTF8.self)
            if let range = head.range(of: "Content-Length: "),
                let length = Int(head[range.upperBound...].prefix { $0.isNumber })
            {
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

        /// Sends bytes; returns false if the peer has closed the connection.
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

        /// Sends a correct response.
        func answer(_ body: String, status: String = "200 OK", fields: String = "") {
            send("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)")
        }

        /// Relays bytes in both directions until one side closes; `hear` receives the bytes from this side.
        func pass(to other: ServerConnection, hear: (String) -> Void) {
            defer { Glibc.close(other.socket) }
            while true {
                var sides = [
                    pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: other.socket, events: Int16(POLLIN), revents: 0),
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

        /// Waits until the peer closes the connection.
        func waitForEnd() {
            var byte: UInt8 = 0
            while read(socket, &byte, 1) == 1 {}
        }
    }

    /// Returns the address of a local port.
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

    /// Listens, runs `serve` with each connection on a thread of its own, and then closes the connection.
    init(_ serve: @escaping @Sendable (ServerConnection) -> Void) throws {
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
                    // The accepting thread closes the listener, because a descriptor closed elsewhere could be reused
                    // at once.
                    Glibc.close(listener)
                    return
                }
                connections.withLock { $0 += 1 }
                Thread {
                    serve(ServerConnection(socket: socket))
                    Glibc.close(socket)
                }.start()
            }
        }.start()
    }

    /// Creates a server that answers every request of every connection.
    static func answering(_ answer: @escaping @Sendable (ServerConnection, String) -> Void) throws -> ScriptedServer {
        try ScriptedServer { line in
            while let request = line.request() { answer(line, request) }
        }
    }

    func close() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    var url: String { "http://127.0.0.1:\(port)" }

    /// The number of connections accepted.
    var connectionCount: Int { connections.withLock { $0 } }
}

extension ScriptedServer.ServerConnection {
    /// Connects to a local port; nil if no server listens there.
    init?(to port: UInt16) {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = ScriptedServer.address(port: port)
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

/// A value that another thread delivers later.
final class Promise<Value: Sendable>: @unchecked Sendable {
    // Sendable because every access to the value holds the condition's lock.
    private let condition = NSCondition()
    private var value: Value?

    func come(_ value: Value) {
        condition.withLock {
            self.value = value
            condition.broadcast()
        }
    }

    struct DeadlineExceeded: Error {}

    func wait(seconds: Double = 60) throws -> Value {
        condition.lock()
        defer { condition.unlock() }
        let deadline = Date(timeIntervalSinceNow: seconds)
        while value == nil {
            guard condition.wait(until: deadline) else { throw DeadlineExceeded() }
        }
        return value!
    }
}
