import Glibc

/// The result of reading from a socket or writing to it.
package enum IOResult: Hashable, Sendable {
    /// The number of bytes moved.
    case moved(Int)
    /// The call would block.
    case wouldBlock
    /// The peer has closed its sending direction.
    case ended
    /// The connection has failed.
    case broken

    static func of(_ count: Int) -> IOResult {
        if count >= 0 { return .moved(count) }
        switch errno {
        case EAGAIN, EWOULDBLOCK: return .wouldBlock
        case EBADF: preconditionFailure("the socket is already closed")
        default: return .broken
        }
    }
}
