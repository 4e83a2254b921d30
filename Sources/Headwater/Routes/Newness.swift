import Synchronization

/// Whether what was put was not there before: found out where the space lives, looked at where the answer is written.
final class Newness: Sendable {
    private let flag = Atomic(false)

    var isNew: Bool {
        get { flag.load(ordering: .relaxed) }
        set { flag.store(newValue, ordering: .relaxed) }
    }
}
