import Synchronization

/// The validity of the accounts that one token or one key vouches for.
final class Validity: Sendable {
    private let isWithdrawn_ = Atomic<Bool>(false)

    /// True after the token or the key was withdrawn.
    var isWithdrawn: Bool { isWithdrawn_.load(ordering: .relaxed) }

    func withdraw() {
        isWithdrawn_.store(true, ordering: .relaxed)
    }
}
