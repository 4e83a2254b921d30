/// One who watches an observable from outside the graph.
@usableFromInline
final class Watcher<Value>: AnyLink {
    @usableFromInline var receive: (Value) -> Void
    @usableFromInline var end: (End) -> Void
    @usableFromInline var audience: Audience<Value>?

    @inlinable
    init(receive: @escaping (Value) -> Void, end: @escaping (End) -> Void) {
        self.receive = receive
        self.end = end
        super.init(listener: nil)
    }

    @usableFromInline
    func join(_ audience: Audience<Value>) {
        self.audience = audience
        audience.watchers.append(self)
    }

    @usableFromInline
    override func cancel() {
        guard isLive else { return }
        isLive = false
        forget()
        if let audience {
            self.audience = nil
            audience.drop()
        }
    }

    /// Lets go of the closures and all that they hold: a watcher that has ended may stand in its line, or be held by its subscription, for long.
    @usableFromInline
    func forget() {
        receive = { _ in }
        end = { _ in }
    }
}
