/// The news of the process that holds the streams of clients, for the owner of their space: rows that come and go.
///
/// The messages of a process about a space have increasing numbers, and each waits for the answer to the one before. So
/// the owner performs each once, and notices one that it has not seen.
package struct PresenceMessage: Sendable {
    /// The process.
    package let process: String
    /// The number of the message, and that of the one before.
    package let number: Int
    package let previous: Int
    /// True if the process has no other rows than those of `joins` and of later messages.
    package let isWhole: Bool
    /// The rows that come.
    package let joins: [PresenceRequest]
    /// The rows that go.
    package let leaves: [PresenceRow]

    /// A message.
    package init(
        of process: String, _ number: Int, after previous: Int, isWhole: Bool, joins: [PresenceRequest],
        leaves: [PresenceRow]
    ) {
        self.process = process
        self.number = number
        self.previous = previous
        self.isWhole = isWhole
        self.joins = joins
        self.leaves = leaves
    }
}

/// The owner's answer to news of presence.
package enum PresenceAnswer: Sendable {
    /// The message was performed, with the outcome of each row that was to come.
    case done([JoinOutcome])
    /// The owner does not know the earlier messages: the process announces all its rows.
    case unknown
}
