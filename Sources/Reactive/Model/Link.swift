/// One listener of one observable.
@usableFromInline
package final class Link<Value>: AnyLink {
    @usableFromInline let source: Observable<Value>
    @usableFromInline package let receive: (Value) -> Void
    /// The handler of the end. If nil, the listener ends with the same end.
    @usableFromInline let end: ((End) -> Void)?

    @inlinable
    init(from source: Observable<Value>, to listener: Node, receive: @escaping (Value) -> Void, end: ((End) -> Void)?) {
        self.source = source
        self.receive = receive
        self.end = end
        super.init(listener: listener)
    }

    package override var origin: Node? { source }

    @usableFromInline
    package override func cancel() {
        guard isLive else { return }
        isLive = false
        listener?.sources.noteEnded()
        if isAttached { source.drop(self) }
    }
}
