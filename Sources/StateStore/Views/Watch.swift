/// A subscription to views of a space. It delivers the values of all views first, then, for each moment that changes
/// some of them, those values. It ends when it is cancelled or released.
package final class Watch {
    private let subscriber: ViewSubscriber
    /// The store, which stays alive as long as a watch of its views.
    private let store: AnyObject

    init(_ subscriber: ViewSubscriber, of store: AnyObject) {
        self.subscriber = subscriber
        self.store = store
    }

    deinit {
        subscriber.cancel()
    }

    /// The moment of the delivered values; nil before the first delivery. It advances with each durable commit, also if
    /// no value changes. While the space is being loaded or deleted, it stays.
    package var moment: Moment? { subscriber.moment }

    /// True unless the space is being loaded or deleted: then the delivered values may be older than the space.
    package var isCurrent: Bool { subscriber.isCurrent }

    /// Ends the subscription.
    package func cancel() {
        subscriber.cancel()
    }
}
