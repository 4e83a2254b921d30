/// The refusal of a malformed or too large message. The connection closes afterwards, because the start of the next
/// request is unknown.
public struct MessageFault: Error, Hashable, Sendable {
    /// The status of the answer.
    public let status: Status
    /// The fault and the remedy in words.
    public let detail: String

    /// Creates a refusal.
    public init(_ status: Int, _ detail: String) {
        self.status = Status(status)
        self.detail = detail
    }
}
