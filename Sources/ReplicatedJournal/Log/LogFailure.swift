/// The reason that the log gave no result, written for the operator.
///
/// A failed append proves nothing: the entry may be stored, or be stored later.
package struct LogFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package enum Kind: Hashable, Sendable {
        /// The log did not answer in time, or there is no connection.
        case unreachable
        /// The log has refused: the expected number or revision is not the current one.
        case refused
        /// The entry was trimmed; later ones may exist.
        case gone
        /// Nobody serves the subject: the request was surely not delivered.
        case unserved
        /// The leader of the lane has no room.
        case full
        /// The log can never be used as it is: its version, a limit, missing streams or rights.
        case unusable
    }

    /// The kind of failure.
    package let kind: Kind
    /// The failure, and what to do.
    package let description: String

    /// A failure.
    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
