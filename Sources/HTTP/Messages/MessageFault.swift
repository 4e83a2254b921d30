/// Why bytes are no request that can be accepted. The connection is closed after it, since nobody knows where the next request would begin.
public struct MessageFault: Error, Hashable, Sendable {
    /// The status that says it.
    public let status: Status
    /// What is wrong, and what would be right.
    public let detail: String

    /// A refusal.
    public init(_ status: Int, _ detail: String) {
        self.status = Status(status)
        self.detail = detail
    }
}
