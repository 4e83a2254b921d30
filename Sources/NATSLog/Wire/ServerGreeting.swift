import Glibc
import JSON

/// The first line that a server sends on a new connection, before TLS and before any password.
struct ServerGreeting: Sendable {
    /// The version; nil if the line has none that can be read.
    let version: ServerVersion?
    /// The largest payload in bytes.
    let payloadLimit: Int
    /// True if JetStream is on.
    let hasStreams: Bool
    /// True if the server goes on with TLS only.
    let needsTLS: Bool

    /// The maximum size of the line in bytes.
    private static let limit = 64 * 1_024

    /// Reads the line; nil if it is not one.
    init?(_ line: [UInt8]) {
        guard line.starts(with: "INFO ".utf8) else { return nil }
        // A line that is not JSON is no greeting; the connection itself then fails with its own words.
        guard let facts = try? JSON(parsing: Array(line.dropFirst(5))) else { return nil }
        version = facts["version"]?.text.flatMap { ServerVersion($0) }
        payloadLimit = facts["max_payload"]?.count ?? 0
        hasStreams = facts["jetstream"] == .bool(true)
        needsTLS = facts["tls_required"] == .bool(true)
    }

    /// Connects to a server, reads its line and closes the connection. Returns nil if no line comes within `seconds`,
    /// as from a server that begins TLS at once.
    static func read(from server: NATSServer, seconds: Int) -> ServerGreeting? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(server.host, String(server.port), &hints, &found) == 0 else { return nil }
        defer { freeaddrinfo(found) }
        var next = found
        while let address = next?.pointee {
            if let line = line(from: address, seconds: seconds) { return ServerGreeting(line) }
            next = address.ai_next
        }
        return nil
    }

    private static func line(from address: addrinfo, seconds: Int) -> [UInt8]? {
        let descriptor = socket(address.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        guard connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 else { return nil }
        var line: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while line.count < limit {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            line += buffer[0..<count]
            if let end = line.firstIndex(of: UInt8(ascii: "\r")) { return Array(line[..<end]) }
        }
        return nil
    }
}

extension JSON {
    /// The string; nil for other values.
    var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The whole number; nil for other values.
    var count: Int? {
        guard case .number(let number) = self, let whole = number.int64 else { return nil }
        return Int(whole)
    }
}
