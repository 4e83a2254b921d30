/// The refusal of a malformed or too large message. The connection closes afterwards, because the start of the next
/// request is unknown.
package struct MessageFault: Error, Hashable, Sendable {
    /// The status of the answer.
    package let status: Status
    /// The fault and the remedy in words.
    package let detail: String

    /// Creates a refusal.
    package init(_ status: Int, _ detail: String) {
        self.status = Status(status)
        self.detail = detail
    }
}
