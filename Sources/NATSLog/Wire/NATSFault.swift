/// The reason that a request to the servers has no answer, or not the wanted one.
package enum NATSFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// No connection; the request was not sent.
    case notConnected
    /// Nobody serves the subject; a stream without a leader counts as that.
    case nobody
    /// No answer within the time. The request may have had its effect.
    case timedOut
    /// The connection ended before the answer. The request may have had its effect.
    case lost
    /// The payload is larger than the server permits; the request was not sent.
    case tooLarge(bytes: Int, limit: Int)
    /// The server's refusal: JetStream's error code and words.
    case refused(code: Int, String)
    /// An answer that is not in the form of the protocol.
    case malformed(String)
    /// A condition that only a person can change: an old server, a wrong password.
    case unusable(String)

    /// The fault in words, without secrets.
    package var description: String {
        switch self {
        case .notConnected: "no connection to a NATS server"
        case .nobody: "nobody serves the request: no node, or a stream without a leader"
        case .timedOut: "no answer in time"
        case .lost: "the connection to the NATS server ended before the answer"
        case .tooLarge(let bytes, let limit): "\(bytes) bytes are more than the NATS server's max_payload of \(limit)"
        case .refused(let code, let words): "the NATS server refuses: \(words) (\(code))"
        case .malformed(let words): "the NATS server's answer is malformed: \(words)"
        case .unusable(let words): words
        }
    }

    /// JetStream's code of the refusal; nil for other faults.
    var code: Int? { if case .refused(let code, _) = self { code } else { nil } }

    /// JetStream: the last number is not the expected one.
    static let wrongLast = 10_071
    /// JetStream: the last number of the subject is not the expected one.
    static let wrongLastOfSubject = 10_164
    /// JetStream: the stream has no message of that number.
    static let noMessage = 10_037
    /// JetStream: no such stream.
    static let noStream = 10_059
    /// JetStream: the server's memory or disk is full, or at the limit that its configuration sets.
    static let noRoom: Set<Int> = [10_023, 10_028, 10_047, 10_077]
}
