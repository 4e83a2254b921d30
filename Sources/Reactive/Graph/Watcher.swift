/// One who watches an observable from outside the graph.
@usableFromInline
final class Watcher<Value>: AnyLink {
    @usableFromInline let receive: (Value) -> Void
    @usableFromInline let end: (End) -> Void
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
        if let audience {
            self.audience = nil
            audience.drop(self)
        }
    }
}
