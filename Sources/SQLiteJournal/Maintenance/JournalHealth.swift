internal import Platform
internal import StateStore
internal import Synchronization

/// The condition of a journal, and the callback that receives its changes.
final class JournalHealth: Sendable {
    /// The number of syncs that failed.
    let syncFailures = Atomic(0)
    private let condition = Lock(JournalCondition.well)
    private let onChange = Lock<(@Sendable (JournalCondition) -> Void)?>(nil)

    /// Calls `receive` when the kind of the condition changes.
    func watch(_ receive: @escaping @Sendable (JournalCondition) -> Void) {
        onChange.withLock { $0 = receive }
    }

    /// Sets the condition.
    func become(_ next: JournalCondition) {
        let isNews = condition.withLock { condition in
            defer { condition = next }
            return !condition.resembles(next)
        }
        if isNews { onChange.withLock { $0 }?(next) }
    }

    /// True if the journal acknowledges no commits.
    var isSuspended: Bool {
        condition.withLock {
            switch $0 {
            case .well, .neglected: false
            case .suspended, .lost: true
            }
        }
    }

    /// The reason of the condition; nil for `well`.
    var failure: JournalFailure? {
        condition.withLock {
            switch $0 {
            case .well: nil
            case .neglected(let failure), .suspended(let failure), .lost(let failure): failure
            }
        }
    }
}
