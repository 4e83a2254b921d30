import CLinux
import Glibc

/// A listening TCP socket. Several loops may accept from it.
package struct ListeningSocket: Sendable {
    /// The descriptor of the socket.
    package let descriptor: Int32
    /// The local port.
    package let port: UInt16
    /// True if another process has opened the socket, which goes on to hold it.
    private let isInherited: Bool

    /// Listens at a numeric local address; port 0 selects a free port.
    package init(host: String, port: UInt16) throws(SystemFailure) {
        let attempt = "listen at \(host), port \(port)"
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let address = found?.pointee else {
            throw SystemFailure(attempt, code: EADDRNOTAVAIL)
        }
        defer { freeaddrinfo(found) }
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        descriptor = socket(address.ai_family, flags, 0)
        guard descriptor >= 0 else { throw SystemFailure(attempt) }
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        // Accepted sockets inherit this option: Nagle's algorithm never delays a response.
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0, listen(descriptor, 4_096) == 0 else {
            let failure = SystemFailure(attempt)
            Glibc.close(descriptor)
            throw failure
        }
        self.port = Self.port(of: descriptor)
        isInherited = false
    }

    /// Takes a listening socket that another process has opened. That process keeps it, so clients that connect while
    /// this process ends and another begins wait for the other.
    package init(inherited descriptor: Int32) throws(SystemFailure) {
        let attempt = "use descriptor \(descriptor) as a listening TCP socket"
        var (isListening, family): (Int32, Int32) = (0, 0)
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0,
            getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &size) == 0
        else { throw SystemFailure(attempt) }
        guard isListening != 0, family == AF_INET || family == AF_INET6 else {
            throw SystemFailure(attempt, code: EINVAL)
        }
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
        else { throw SystemFailure(attempt) }
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        self.descriptor = descriptor
        port = Self.port(of: descriptor)
        isInherited = true
    }

    /// The numeric address of the socket.
    package var address: String {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = getsockname(descriptor, pointer, &length)
                _ = getnameinfo(pointer, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            }
        }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns true if a text is a numeric IP address.
    package static func isAddress(_ text: String) -> Bool {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(text, nil, &hints, &found) == 0 else { return false }
        freeaddrinfo(found)
        return true
    }

    private static func port(of descriptor: Int32) -> UInt16 {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &length) }
            // The port has the same offset in both address families.
            return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                UInt16(bigEndian: $0.pointee.sin_port)
            }
        }
    }

    /// The result of accepting a connection.
    package enum AcceptResult: Sendable {
        /// An accepted connection.
        case socket(Socket)
        /// No connection waits.
        case none
        /// A connection waits, but the process has reached its descriptor limit or lacks memory.
        case exhausted
    }

    /// Accepts the next connection.
    package func accept() -> AcceptResult {
        while true {
            let descriptor = uninterrupted { accept_nonblocking(self.descriptor) }
            if descriptor >= 0 { return .socket(Socket(descriptor: descriptor)) }
            switch errno {
            case EAGAIN, EWOULDBLOCK: return .none
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            // The socket no longer listens, after `refuseAll`.
            case EINVAL: return .none
            case EBADF, ENOTSOCK, EFAULT: preconditionFailure("the listening socket is already closed")
            // The connection failed before it was accepted, or its network has a temporary fault.
            default: continue
            }
        }
    }

    /// Stops listening in every loop; the kernel refuses new connections. On an inherited socket they wait for the next
    /// process.
    package func refuseAll() {
        guard !isInherited else { return }
        _ = shutdown(descriptor, Int32(SHUT_RD))
    }

    /// Closes the socket.
    package func close() {
        _ = Glibc.close(descriptor)
    }
}
