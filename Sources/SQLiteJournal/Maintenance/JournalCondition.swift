package import StateStore

/// The condition of a journal, as far as the program must act on it.
package enum JournalCondition: Hashable, Sendable {
    /// Commits are stored, and maintenance succeeds.
    case well
    /// Commits are stored, but maintenance fails.
    case neglected(JournalFailure)
    /// No commit is acknowledged before all appended commits are durable.
    case suspended(JournalFailure)
    /// The log lost frames that cannot be made durable any more. The process must end: its next start recovers every
    /// commit that was synced.
    case lost(JournalFailure)

    /// Returns true if both are of the same kind, whatever their reasons.
    func resembles(_ other: JournalCondition) -> Bool {
        switch (self, other) {
        case (.well, .well), (.neglected, .neglected), (.suspended, .suspended), (.lost, .lost): true
        default: false
        }
    }
}
