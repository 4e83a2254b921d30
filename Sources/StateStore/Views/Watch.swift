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

    /// The moment of the delivered values. It advances with each durable commit, also if no value changes. It is nil
    /// before the first delivery, and while the space is being loaded or deleted.
    package var moment: Moment? { subscriber.shown }

    /// Ends the subscription.
    package func cancel() {
        subscriber.cancel()
    }
}
