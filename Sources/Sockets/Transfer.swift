import Glibc

/// What came of reading from a socket or writing to it.
public enum Transfer: Hashable, Sendable {
    /// So many bytes were moved.
    case moved(Int)
    /// Nothing can be moved just now.
    case wouldBlock
    /// The other side will send nothing more.
    case ended
    /// The connection is broken.
    case broken

    static func of(_ count: Int) -> Transfer {
        if count >= 0 { return .moved(count) }
        switch errno {
        case EAGAIN, EWOULDBLOCK: return .wouldBlock
        case EBADF: preconditionFailure("a socket is used that was closed")
        default: return .broken
        }
    }
}
