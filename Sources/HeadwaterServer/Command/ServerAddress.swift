import Glibc
import Sockets

/// The address of a running server, which a command sends requests to. A container's health check needs no curl with it.
struct ServerAddress: CustomStringConvertible {
    /// The host, numeric, and the port.
    private let host: String
    private let port: String

    /// The server that the same environment would start.
    init(_ environment: [String: String]) {
        let given = environment["HEADWATER_HOST"] ?? ""
        // A server on all addresses also listens on loopback.
        host = ["", "localhost", "0.0.0.0"].contains(given) ? "127.0.0.1" : given == "::" ? "::1" : given
        port = environment["HEADWATER_PORT"].flatMap { $0.isEmpty ? nil : $0 } ?? "8080"
    }

    private init(host: String, port: String) {
        (self.host, self.port) = (host, port)
    }

    /// Reads a URL of the scheme http, and returns its path and query too, empty for none; nil for another text.
    static func parse(_ address: String) -> (server: ServerAddress, path: String)? {
        guard address.hasPrefix("http://"), address.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        let rest = address.dropFirst("http://".count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let path = String(rest.dropFirst(authority.count))
        let digits = authority.reversed().prefix { $0.isASCII && $0.isNumber }
        let hasPort = authority.dropLast(digits.count).last == ":"
        let port = hasPort ? String(digits.reversed()) : "80"
        let name = hasPort ? authority.dropLast(digits.count + 1) : authority
        let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
        let host = name == "localhost" ? "127.0.0.1" : String(isBracketed ? name.dropFirst().dropLast() : name)
        guard !host.isEmpty, !port.isEmpty, path.isEmpty || path.hasPrefix("/") else { return nil }
        return (ServerAddress(host: host, port: port), path)
    }

    private var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    var description: String { "http://\(authority)" }

    /// Sends a request without a body, and reads the answer to its end, but for bytes beyond the limit.
    func ask(
        _ method: String, _ path: String, token: String? = nil, patience: Int, limit: Int
    ) throws(SystemFailure) -> [UInt8] {
        let attempt = "ask \(self)\(path)"
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, port, &hints, &found) == 0, let address = found?.pointee else {
            throw SystemFailure(attempt, code: EADDRNOTAVAIL)
        }
        defer { freeaddrinfo(found) }
        let descriptor = socket(address.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemFailure(attempt) }
        defer { close(descriptor) }
        var time = timeval(tv_sec: patience, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
        guard connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 else { throw SystemFailure(attempt) }
        var request = "\(method) \(path) HTTP/1.1\r\nHost: \(authority)\r\n"
        if let token { request += "Authorization: Bearer \(token)\r\n" }
        request += "Connection: close\r\n\r\n"
        guard StandardStreams.write(Array(request.utf8), to: descriptor) else { throw SystemFailure(attempt) }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while answer.count < limit {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemFailure(attempt) }
            if count == 0 { break }
            answer += buffer[0..<count]
        }
        return answer
    }

    /// Asks for JSON. Returns the status and the content.
    func content(
        of path: String, token: String?, patience: Int = 10, limit: Int = 16 << 20
    ) throws(CommandFault) -> (status: Int, content: [UInt8]) {
        let answer: [UInt8]
        do throws(SystemFailure) {
            answer = try ask("GET", path, token: token, patience: patience, limit: limit)
        } catch {
            throw CommandFault(error.description)
        }
        let line = String(decoding: answer.prefix { $0 != 0x0D }, as: UTF8.self).split(separator: " ")
        let end = Array("\r\n\r\n".utf8)
        guard line.count >= 2, let status = Int(line[1]), let head = answer.firstRange(of: end) else {
            throw CommandFault("\(self)\(path): the answer is not HTTP")
        }
        return (status, Array(answer[head.upperBound...]))
    }
}
