import CLinux
package import Glibc

/// A connected, non-blocking socket.
package struct Socket: Hashable, Sendable {
    /// The descriptor of the socket.
    package let descriptor: Int32

    /// Creates a socket from its descriptor.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// The socket of a connection within this process, which has none.
    package static let none = Socket(descriptor: -1)

    /// The numeric address of the peer, without its port; nil for a socket that has none. Costs a system call.
    package var peerAddress: String? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard getpeername(descriptor, address, &length) == 0,
                    [AF_INET, AF_INET6].contains(Int32(address.pointee.sa_family))
                else { return nil }
                var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
                guard getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
                    return nil
                }
                return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            }
        }
    }

    /// Reads into `room`.
    @inline(__always)
    package func read(into room: UnsafeMutableRawBufferPointer) -> IOResult {
        let result = uninterrupted { recv(descriptor, room.baseAddress, room.count, 0) }
        return result == 0 ? .ended : .of(result)
    }

    /// The number of buffers that one `write` takes at most.
    package static let buffersLimit = 64

    /// The flags of a write. MSG_EOR ends a record: the system holds no later bytes in the same buffer, so the bound on
    /// unsent bytes is looked at before each record.
    @inline(__always)
    private static func flags(_ endsRecord: Bool) -> Int32 {
        Int32(MSG_NOSIGNAL) | (endsRecord ? Int32(MSG_EOR) : 0)
    }

    /// Writes `bytes` from `offset` to the end. With `endsRecord`, the system keeps them apart from later bytes.
    @inline(__always)
    package func write(_ bytes: UnsafeRawBufferPointer, from offset: Int = 0, endsRecord: Bool = false) -> IOResult {
        .of(
            uninterrupted {
                send(descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset, Self.flags(endsRecord))
            })
    }

    /// Writes `bytes` from `offset` to the end. With `endsRecord`, the system keeps them apart from later bytes.
    package func write(_ bytes: [UInt8], from offset: Int = 0, endsRecord: Bool = false) -> IOResult {
        bytes.withUnsafeBytes { write($0, from: offset, endsRecord: endsRecord) }
    }

    /// Writes buffers in their order, in one call. With `endsRecord`, the system keeps them apart from later bytes.
    package func write(_ buffers: UnsafeMutableBufferPointer<iovec>, endsRecord: Bool = false) -> IOResult {
        var message = msghdr()
        message.msg_iov = buffers.baseAddress
        message.msg_iovlen = buffers.count
        return .of(uninterrupted { sendmsg(descriptor, &message, Self.flags(endsRecord)) })
    }

    /// Bounds the bytes that the system holds unsent, for a TCP socket: a record is taken only while there are fewer than
    /// `unsentBytes`. Otherwise `write` would block.
    package func bound(unsentBytes: Int32) {
        var bytes = unsentBytes
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Closes the sending direction.
    package func finish() {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Ends the connection and closes the socket. The system may reuse its descriptor at once. The peer learns of the end
    /// at once, even if a program that another thread is just starting has a copy of the descriptor.
    package func close() {
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
        // No retry after EINTR: on Linux, the descriptor is closed even then.
        _ = Glibc.close(descriptor)
    }
}
