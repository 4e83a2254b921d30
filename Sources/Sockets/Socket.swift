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

    /// Reads into `buffer` from `offset` on.
    public func read(into buffer: inout [UInt8], from offset: Int = 0) -> Transfer {
        let result = buffer.withUnsafeMutableBytes { bytes in
            uninterrupted { recv(descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset, 0) }
        }
        return result == 0 ? .ended : .of(result)
    }

    /// Writes what `bytes` has from `offset` on.
    public func write(_ bytes: [UInt8], from offset: Int = 0, upTo end: Int? = nil) -> Transfer {
        bytes.withUnsafeBytes { bytes in
            .of(
                uninterrupted {
                    send(descriptor, bytes.baseAddress.map { $0 + offset }, (end ?? bytes.count) - offset, Int32(MSG_NOSIGNAL))
                })
        }
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
