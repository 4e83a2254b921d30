import Glibc
import Sockets

/// One connection to a service in process that stays open. HTTP/1.0, so that a stream comes without chunks.
package final class ConnectionInProcess {
    private let service: ServiceInProcess
    private let client: Socket
    private var isOpen = true
    private var room = [UInt8](repeating: 0, count: 65_536)
    /// The bytes that have come and were not taken.
    private var received: [UInt8] = []
    /// True once the service has ended the connection.
    package private(set) var isEnded = false

    init(_ service: ServiceInProcess, _ client: Socket) {
        self.service = service
        self.client = client
    }

    deinit {
        close()
    }

    /// Closes the connection.
    package func close() {
        guard isOpen else { return }
        client.close()
        isOpen = false
    }

    /// Sends a request.
    package func send(_ line: String, _ fields: [String: String] = [:]) {
        let lines = fields.map { "\($0.key): \($0.value)\r\n" }.sorted().joined()
        send(bytes: Array("\(line) HTTP/1.0\r\nHost: localhost\r\n\(lines)\r\n".utf8))
    }

    /// Sends any bytes.
    package func send(bytes: [UInt8]) {
        _ = client.write(bytes, from: 0)
    }

    /// Reads what has come, at most `limit` bytes. Returns the number of bytes.
    @discardableResult
    package func receive(limit: Int = .max) -> Int {
        var left = limit
        while left > 0 {
            let count = min(left, room.count)
            let result = room.withUnsafeMutableBytes { buffer in
                client.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
            }
            guard case .moved(let moved) = result else {
                if case .ended = result { isEnded = true }
                return limit - left
            }
            received += room[..<moved]
            left -= moved
        }
        return limit
    }

    /// Takes the head of the answer, if it has come.
    package func takeHead() -> String? { take(upTo: "\r\n\r\n") }

    /// Takes the next block of a stream: an event, a comment or the time to reconnect after.
    package func takeBlock() -> String? { take(upTo: "\n\n") }

    /// Takes everything that has come.
    package func takeAll() -> String { String(decoding: takeBytes(), as: UTF8.self) }

    /// Takes everything that has come.
    package func takeBytes() -> [UInt8] {
        defer { received = [] }
        return received
    }

    private func take(upTo end: String) -> String? {
        guard let range = received.firstRange(of: Array(end.utf8)) else { return nil }
        defer { received.removeSubrange(..<range.upperBound) }
        return String(decoding: received[..<range.lowerBound], as: UTF8.self)
    }
}

extension ServiceInProcess {
    /// Opens a connection. With `sendBytes` the server's end takes so many bytes before the client reads.
    package func connect(sendBytes: Int32? = nil) throws -> ConnectionInProcess {
        let ends = try pair()
        if var sendBytes {
            setsockopt(
                ends.server.descriptor, SOL_SOCKET, SO_SNDBUF, &sendBytes, socklen_t(MemoryLayout<Int32>.size))
        }
        take(ends.server)
        return ConnectionInProcess(self, ends.client)
    }
}
