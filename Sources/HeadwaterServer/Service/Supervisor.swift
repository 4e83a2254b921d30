import Glibc

/// The supervisor that has started the process, as `systemd` does: it hears when the server listens, reads its
/// files again and ends, and that the first loop still runs.
struct Supervisor {
    /// The time between two signs of life, in nanoseconds; nil if the supervisor awaits none.
    let watchdogNanoseconds: Int64?
    private let descriptor: Int32
    private let address: sockaddr_un
    private let addressLength: socklen_t

    /// The supervisor that the environment names in `NOTIFY_SOCKET`; nil if there is none.
    init?(_ environment: [String: String]) {
        guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@"),
            case var address = sockaddr_un(), case let limit = MemoryLayout.size(ofValue: address.sun_path),
            path.utf8.count < limit
        else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            bytes.copyBytes(from: path.utf8)
            // An abstract name begins with a zero.
            if path.hasPrefix("@") { bytes[0] = 0 }
        }
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        self.address = address
        addressLength = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
        let isOwn = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
        // A sign of life at half of the time that the supervisor waits for one.
        watchdogNanoseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap { microseconds in
            isOwn && (1...86_400_000_000).contains(microseconds) ? microseconds * 500 : nil
        }
    }

    /// Sends the state, as `READY=1`. A supervisor that does not read loses it, because a server does not wait for it.
    func tell(_ state: String) {
        let bytes = Array(state.utf8)
        withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = sendto(
                    descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL), address,
                    addressLength)
            }
        }
    }
}
