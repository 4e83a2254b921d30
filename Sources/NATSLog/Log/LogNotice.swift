/// A change that the operator should read, in words without secrets.
package enum LogNotice: Hashable, Sendable, CustomStringConvertible {
    /// A connection to a server, whose address and version follow.
    case connected(String)
    /// The connection was lost, or cannot be made now. The log goes on by itself.
    case waiting(String)
    /// The cluster works, but not as it should.
    case warning(String)
    /// The log cannot become right without a person.
    case refused(String)

    /// The words.
    package var description: String {
        switch self {
        case .connected(let server): "the log is connected to \(server)"
        case .waiting(let words): "the log waits: \(words)"
        case .warning(let words): words
        case .refused(let words): "the log is refused: \(words)"
        }
    }
}
