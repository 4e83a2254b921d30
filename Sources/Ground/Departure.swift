internal import Synchronization

/// The mark that the caller of a request has gone, so that work for it can end. Any thread reads it.
package final class Departure: Sendable {
    private let mark = Atomic(false)

    /// The mark of a caller that waits.
    package init() {}

    /// True once the caller has gone.
    package var isNoted: Bool { mark.load(ordering: .relaxed) }

    /// Notes that the caller has gone.
    package func note() { mark.store(true, ordering: .relaxed) }
}
