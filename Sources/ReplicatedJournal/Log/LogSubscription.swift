/// A subscription to entries, leases or requests. It ends when it is released.
package final class LogSubscription: Sendable {
    private let end: @Sendable () -> Void

    /// A subscription that calls `end` when it is released.
    package init(end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit {
        end()
    }
}
