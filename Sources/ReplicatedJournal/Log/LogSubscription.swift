/// A subscription to entries, leases or requests. It ends when it is released.
public final class LogSubscription: Sendable {
    private let end: @Sendable () -> Void

    /// A subscription that calls `end` when it is released.
    public init(end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit {
        end()
    }
}
