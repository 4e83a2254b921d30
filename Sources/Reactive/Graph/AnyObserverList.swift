/// Those outside the graph who watch one observable, whatever the type of its values.
@usableFromInline
class AnyObserverList {
    /// Tells them. A stored function for the reason that a variable has one.
    @usableFromInline let deliver: (AnyObserverList) -> Void

    @inlinable
    init(deliver: @escaping (AnyObserverList) -> Void) {
        self.deliver = deliver
    }
}
