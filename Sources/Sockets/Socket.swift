import CLinux
import Glibc

/// A connected, non-blocking socket.
public struct Socket: Hashable, Sendable {
    /// The descriptor of the socket.
    public let descriptor: Int32

    /// Creates a socket from its descriptor.
    public init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Reads into `room`.
    @inline(__always)
    public func read(into room: UnsafeMutableRawBufferPointer) -> IOResult {
        let result = uninterrupted { recv(descriptor, room.baseAddress, room.count, 0) }
        return result == 0 ? .ended : .of(result)
    }

    /// Writes `bytes` from `offset` to the end.
    @inline(__always)
    public func write(_ bytes: UnsafeRawBufferPointer, from offset: Int = 0) -> IOResult {
        .of(
            uninterrupted {
                send(descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset, Int32(MSG_NOSIGNAL))
            })
    }

    /// Writes `bytes` from `offset` to the end.
    public func write(_ bytes: [UInt8], from offset: Int = 0) -> IOResult {
        bytes.withUnsafeBytes { write($0, from: offset) }
    }

    /// Bounds the bytes that the system holds unsent to about `unsentBytes` and one segment of at most 64 KiB, for a TCP
    /// socket. Beyond the bound `write` would block.
    public func bound(unsentBytes: Int32) {
        var bytes = unsentBytes
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Closes the sending direction.
    public func finish() {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes the socket. The system may reuse its descriptor at once.
    public func close() {
        // No retry after EINTR: on Linux, the descriptor is closed even then.
        _ = Glibc.close(descriptor)
    }
}
