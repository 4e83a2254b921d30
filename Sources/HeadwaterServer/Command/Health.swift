import Glibc
import Sockets

/// The command `headwater health`: a request to a running server. A container's health check needs no curl with it.
struct Health {
    /// The time limit of the request in seconds.
    static let patienceSeconds = 3

    /// The address of the server, numeric.
    private let host: String
    private let port: String
    private let path: String

    /// The server at `address`. Without an address, the server that the same environment would start.
    init(_ address: String?, _ environment: [String: String]) throws(CommandFault) {
        guard let address else {
            let given = environment["HEADWATER_HOST"] ?? ""
            // A server on all addresses also listens on loopback.
            host = ["", "localhost", "0.0.0.0"].contains(given) ? "127.0.0.1" : given == "::" ? "::1" : given
            port = environment["HEADWATER_PORT"].flatMap { $0.isEmpty ? nil : $0 } ?? "8080"
            path = "/healthz"
            return
        }
        let fault = CommandFault("health takes a URL such as http://127.0.0.1:8080/readyz, not \"\(address)\"")
        guard address.hasPrefix("http://"), address.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw fault }
        let rest = address.dropFirst("http://".count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        path = authority.count == rest.count ? "/healthz" : String(rest.dropFirst(authority.count))
        let digits = authority.reversed().prefix { $0.isASCII && $0.isNumber }
        let hasPort = authority.dropLast(digits.count).last == ":"
        port = hasPort ? String(digits.reversed()) : "80"
        let name = hasPort ? authority.dropLast(digits.count + 1) : authority
        let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
        host = name == "localhost" ? "127.0.0.1" : String(isBracketed ? name.dropFirst().dropLast() : name)
        guard !host.isEmpty, !port.isEmpty, path.hasPrefix("/") else { throw fault }
    }

    /// Sends the request. Throws unless the status is 200.
    func ask() throws(CommandFault) {
        let answer: [UInt8]
        do throws(SystemFailure) {
            answer = try exchange()
        } catch {
            throw CommandFault(error.description)
        }
        let line = String(decoding: answer.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        guard line.hasPrefix("HTTP/1.1 200 ") else {
            throw CommandFault("\(name): \(line.isEmpty ? "empty answer" : line)")
        }
    }

    private var name: String { "http://\(host.contains(":") ? "[\(host)]" : host):\(port)\(path)" }

    /// Sends the request and reads the answer to its end.
    private func exchange() throws(SystemFailure) -> [UInt8] {
        let attempt = "ask \(name)"
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
        var patience = timeval(tv_sec: Self.patienceSeconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        guard connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 else { throw SystemFailure(attempt) }
        let authority = "\(host.contains(":") ? "[\(host)]" : host):\(port)"
        let request = "GET \(path) HTTP/1.1\r\nHost: \(authority)\r\nConnection: close\r\n\r\n"
        guard StandardStreams.write(Array(request.utf8), to: descriptor) else { throw SystemFailure(attempt) }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while answer.count < 64 * 1_024 {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemFailure(attempt) }
            if count == 0 { break }
            answer += buffer[0..<count]
        }
        return answer
    }
}
