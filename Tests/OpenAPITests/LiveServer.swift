import Foundation
import Glibc

/// The real server in its own process, on a free port.
final class LiveServer {
    private let process = Process()
    private let port: UInt16

    init(_ arguments: String...) throws {
        // The folder of this test program has the server too.
        let program = URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        process.executableURL = program.deletingLastPathComponent().appendingPathComponent("headwater")
        process.arguments = ["--memory", "--port", "0", "--log-level", "error"] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // The server writes its address once it listens. If the process ends, reading ends too.
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = line.split(separator: ":").last.flatMap({ UInt16($0.prefix { $0.isNumber }) }) else {
            throw AnswerFault("the server did not say where it listens: \(line)")
        }
        self.port = port
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    /// An answer.
    struct Answer {
        let status: Int
        let fields: [String: String]
        let content: [UInt8]
    }

    struct AnswerFault: Error {
        let reason: String

        init(_ reason: String) {
            self.reason = reason
        }
    }

    /// Sends one request and reads the whole answer.
    func ask(
        _ method: String, _ target: String, _ fields: [String: String] = [:], _ body: String? = nil
    ) throws -> Answer {
        let socket = try connected()
        defer { close(socket) }
        var lines = ["\(method) \(target) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Connection: close"]
        if let body {
            lines.append("Content-Length: \(body.utf8.count)")
            if fields["Content-Type"] == nil { lines.append("Content-Type: application/json") }
        }
        for (name, value) in fields { lines.append("\(name): \(value)") }
        let request = Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")).utf8)
        guard send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw AnswerFault("it could not be sent")
        }
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1_024)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            received += buffer[..<count]
        }
        return try answer(in: received)
    }

    private func connected() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw AnswerFault("the server cannot be reached") }
        return descriptor
    }

    private func answer(in bytes: [UInt8]) throws -> Answer {
        guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: "\r\n\r\n".utf8) }) else {
            throw AnswerFault("the answer has no end of its header")
        }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).components(separatedBy: "\r\n")
        guard let status = Int(lines[0].dropFirst("HTTP/1.1 ".count).prefix(3)) else {
            throw AnswerFault("no status: \(lines[0])")
        }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces) }
        }
        return Answer(status: status, fields: fields, content: Array(bytes[(end + 4)...]))
    }
}
