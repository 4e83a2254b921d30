import CLinux
import Glibc

/// A socket that others connect to. Several loops may wait for it.
public struct Listener: Sendable {
    /// Its number.
    public let descriptor: Int32
    /// The port that it has.
    public let port: UInt16

    /// Listens at an address of this machine, which is written in numbers; port 0 is any that is free.
    public init(host: String, port: UInt16) throws(SystemFailure) {
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
        // What is accepted inherits it: an answer is never held back to wait for more.
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0, listen(descriptor, 4_096) == 0 else {
            let failure = SystemFailure(attempt)
            Glibc.close(descriptor)
            throw failure
        }
        self.port = Self.port(of: descriptor)
    }

    /// Whether a text is an address in numbers.
    public static func isAddress(_ text: String) -> Bool {
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
            // The port is at the same place for both families.
            return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
        }
    }

    /// What came of taking the next connection.
    public enum Acceptance: Sendable {
        /// There it is.
        case socket(Socket)
        /// There is none.
        case none
        /// There is one, but this process may not open more descriptors.
        case exhausted
    }

    /// Takes the next connection.
    public func accept() -> Acceptance {
        while true {
            let descriptor = uninterrupted { accept_nonblocking(self.descriptor) }
            if descriptor >= 0 { return .socket(Socket(descriptor: descriptor)) }
            switch errno {
            case EAGAIN, EWOULDBLOCK: return .none
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            // It refuses everybody by now.
            case EINVAL: return .none
            case EBADF, ENOTSOCK, EFAULT: preconditionFailure("a listener is used that was closed")
            // One that broke before it was taken, or a passing trouble of its network.
            default: continue
            }
        }
    }

    /// Takes no more connections, whoever waits for them: from now on they are refused.
    public func refuseAll() {
        _ = shutdown(descriptor, Int32(SHUT_RD))
    }

    /// Ends it.
    public func close() {
        _ = Glibc.close(descriptor)
    }
}
