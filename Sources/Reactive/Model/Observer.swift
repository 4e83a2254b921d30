/// An observer of an observable from outside the graph.
@usableFromInline
final class Observer<Value>: AnyLink {
    @usableFromInline let receive: (Value) -> Void
    @usableFromInline let end: (End) -> Void
    @usableFromInline var list: ObserverList<Value>?

    @inlinable
    init(receive: @escaping (Value) -> Void, end: @escaping (End) -> Void) {
        self.receive = receive
        self.end = end
        super.init(listener: nil)
    }

    @usableFromInline
    func join(_ list: ObserverList<Value>) {
        self.list = list
        list.observers.append(self)
    }

    @usableFromInline
    override func cancel() {
        guard isLive else { return }
        isLive = false
        if let list {
            self.list = nil
            list.drop(self)
        }
    }
}
