public import StateStore

/// The condition of a journal, as far as the program that has it must act on it.
public enum JournalCondition: Hashable, Sendable {
    /// Commits are kept, and so is the file.
    case well
    /// Commits are kept; the maintenance behind them fails.
    case neglected(JournalFailure)
    /// Nothing is acknowledged until the disk holds what was appended.
    case suspended(JournalFailure)
    /// What was appended cannot be made durable any more. The process must end: its next start recovers every commit that was synced.
    case lost(JournalFailure)

    /// Whether the other is of the same kind, though it may have another reason.
    func resembles(_ other: JournalCondition) -> Bool {
        switch (self, other) {
        case (.well, .well), (.neglected, .neglected), (.suspended, .suspended), (.lost, .lost): true
        default: false
        }
    }
}
