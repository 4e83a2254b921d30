internal import StateStore
internal import Synchronization

/// Those who are told of what is kept.
final class Followers: Sendable {
    private struct State {
        var receivers: [Int: @Sendable ([CommitRecord]) -> Void] = [:]
        var next = 0
    }

    private let state = Guarded(State())

    /// Adds one, until what is returned is released.
    func add(_ receive: @escaping @Sendable ([CommitRecord]) -> Void) -> JournalSubscription {
        let number = state.withLock { state in
            state.next += 1
            state.receivers[state.next] = receive
            return state.next
        }
        return JournalSubscription { [weak self] in
            // Released outside the lock, since what it holds may run anything when it goes.
            _ = self?.state.withLock { $0.receivers.removeValue(forKey: number) }
        }
    }

    /// Tells them of the commits that were kept.
    func tell(_ commits: [CommitRecord], _ outcomes: [AppendResult]) {
        let receivers = state.withLock { state in state.receivers.sorted { $0.key < $1.key }.map(\.value) }
        guard !receivers.isEmpty else { return }
        let kept = zip(commits, outcomes).filter { $0.1 == .kept && !$0.0.facts.isEmpty }.map(\.0)
        guard !kept.isEmpty else { return }
        for receive in receivers { receive(kept) }
    }
}
