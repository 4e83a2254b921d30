import CLinux
import Glibc

/// A connected socket that never blocks.
public struct Socket: Hashable, Sendable {
    /// Its number.
    public let descriptor: Int32

    /// The socket of a number.
    public init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Reads into `room`.
    @inline(__always)
    public func read(into room: UnsafeMutableRawBufferPointer) -> Transfer {
        let result = uninterrupted { recv(descriptor, room.baseAddress, room.count, 0) }
        return result == 0 ? .ended : .of(result)
    }

    /// Writes what `bytes` has from `offset` on.
    @inline(__always)
    public func write(_ bytes: UnsafeRawBufferPointer, from offset: Int = 0) -> Transfer {
        .of(uninterrupted { send(descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset, Int32(MSG_NOSIGNAL)) })
    }

    /// Writes what `bytes` has from `offset` on.
    public func write(_ bytes: [UInt8], from offset: Int = 0) -> Transfer {
        bytes.withUnsafeBytes { write($0, from: offset) }
    }

    /// Bounds the bytes that the system holds unsent to about `unsentBytes` and one segment of at most 64 KiB, where the socket is one of TCP. Beyond that
    /// `write` would block.
    public func bound(unsentBytes: Int32) {
        var bytes = unsentBytes
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Tells the other side that nothing more will be sent.
    public func finish() {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Ends it. Its number may be another's from now on.
    public func close() {
        // Not again when interrupted: on Linux the descriptor is gone by then.
        _ = Glibc.close(descriptor)
    }
}
