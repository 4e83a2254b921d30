/// A point where several inputs of a node meet. Inputs wait until everything below the joint has settled; the joint
/// then processes them once.
@usableFromInline
package final class Joint {
    /// The height at which the joint runs.
    @usableFromInline package final var height = 1
    /// True if the joint is in the queue.
    @usableFromInline package final var isQueued = false
    /// True if the joint must run when it reaches the head of the queue.
    @usableFromInline package final var isWanted = false
    /// The action of the joint.
    @usableFromInline package final var run: () -> Void

    @inlinable
    package init(_ run: @escaping () -> Void = {}) {
        self.run = run
    }

    /// Retires the joint: it does nothing from now on and keeps nothing alive.
    @usableFromInline
    func retire() {
        isWanted = false
        run = {}
    }
}
