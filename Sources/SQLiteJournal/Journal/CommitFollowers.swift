internal import Platform
internal import StateStore

/// The callbacks that receive appended commits.
final class CommitFollowers: Sendable {
    private struct Receivers {
        var receivers: [Int: @Sendable ([CommitRecord]) -> Void] = [:]
        /// The receivers that are also told of deletions, with an empty batch.
        var ofDeletions: Set<Int> = []
        var next = 0
    }

    private let state = Lock(Receivers())

    /// Adds a callback until the result is released.
    func add(
        hearsDeletions: Bool = false, _ receive: @escaping @Sendable ([CommitRecord]) -> Void
    ) -> JournalSubscription {
        let number = state.withLock { state in
            state.next += 1
            state.receivers[state.next] = receive
            if hearsDeletions { state.ofDeletions.insert(state.next) }
            return state.next
        }
        return JournalSubscription { [weak self] in
            // The closure is released outside the lock, because its deinitializers may run any code.
            _ = self?.state.withLock { state in
                state.ofDeletions.remove(number)
                return state.receivers.removeValue(forKey: number)
            }
        }
    }

    /// Calls the callbacks that hear of deletions.
    func tellDeletion() {
        let receivers = state.withLock { state in state.ofDeletions.sorted().compactMap { state.receivers[$0] } }
        for receive in receivers { receive([]) }
    }

    /// Calls the callbacks with the stored commits.
    func tell(_ commits: [CommitRecord], _ outcomes: [AppendResult]) {
        let receivers = state.withLock { state in state.receivers.sorted { $0.key < $1.key }.map(\.value) }
        guard !receivers.isEmpty else { return }
        let kept = zip(commits, outcomes).filter { $0.1 == .kept && !$0.0.facts.isEmpty }.map(\.0)
        guard !kept.isEmpty else { return }
        for receive in receivers { receive(kept) }
    }
}
