/// The observers of one observable, without the type of its values.
@usableFromInline
class AnyObserverList {
    /// Delivers the pending events to the observers. It is a stored function for the reason given at
    /// `ReadableVariable.perform`.
    @usableFromInline let deliver: (AnyObserverList) -> Void

    @inlinable
    init(deliver: @escaping (AnyObserverList) -> Void) {
        self.deliver = deliver
    }
}
