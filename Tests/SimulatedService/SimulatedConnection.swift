import Sockets

/// A client's end of a connection to a simulated server. It carries one request of HTTP/1.0, so the end of the connection
/// is the end of the answer.
package final class SimulatedConnection {
    private let socket: Socket
    private var room = [UInt8](repeating: 0, count: 16_384)
    package private(set) var received: [UInt8] = []
    private(set) var isEnded = false
    /// Called when something has come, or when the connection has ended.
    var changed: () -> Void = {}

    init(_ socket: Socket) {
        self.socket = socket
    }

    deinit {
        close()
    }

    /// Sends a request.
    package func send(_ line: String, _ fields: [String: String], _ body: String?) {
        var text = "\(line) HTTP/1.0\r\nHost: localhost\r\n"
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) { text += "\(name): \(value)\r\n" }
        if let body { text += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
        _ = socket.write(Array((text + "\r\n" + (body ?? "")).utf8), from: 0)
    }

    /// Reads what has come.
    func receive() {
        var isChanged = false
        while !isEnded {
            guard case .moved(let count) = read() else { break }
            received += room[..<count]
            isChanged = true
        }
        if isChanged || isEnded { changed() }
    }

    private func read() -> IOResult {
        let result = room.withUnsafeMutableBytes { socket.read(into: $0) }
        switch result {
        case .ended, .broken: close()
        default: break
        }
        return result
    }

    /// Takes the text up to an end, without it; nil if it has not come.
    package func take(upTo end: String) -> String? {
        let end = Array(end.utf8)
        guard received.count >= end.count else { return nil }
        for start in 0...received.count - end.count where received[start] == end[0] {
            guard received[start..<start + end.count].elementsEqual(end) else { continue }
            defer { received.removeSubrange(..<(start + end.count)) }
            return String(decoding: received[..<start], as: UTF8.self)
        }
        return nil
    }

    /// Ends the connection, because the other end is gone.
    func lose() {
        close()
        changed()
    }

    func close() {
        guard !isEnded else { return }
        isEnded = true
        socket.close()
    }
}
