/// A place where several ways meet: what arrives there waits until everything below has settled, and is then dealt with once.
@usableFromInline
package final class Joint {
    /// The height at which it runs.
    @usableFromInline package final var height = 1
    /// Whether it stands in the queue.
    @usableFromInline package final var isQueued = false
    /// Whether it is to run when its turn in the queue comes.
    @usableFromInline package final var isWanted = false
    /// What it does.
    @usableFromInline package final var run: () -> Void

    @inlinable
    package init(_ run: @escaping () -> Void = {}) {
        self.run = run
    }

    /// Ends it: it does nothing from now on, and keeps nothing alive.
    @usableFromInline
    func retire() {
        isWanted = false
        run = {}
    }
}
