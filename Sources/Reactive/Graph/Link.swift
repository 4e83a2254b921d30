/// One listener of one node, whatever the type of its values.
@usableFromInline
package class AnyLink {
    /// Whether it still listens; one that does not is passed over, and removed when nobody is going through the list.
    @usableFromInline package final var isLive = true
    /// Whether what comes this way only says when or what, and is not what the listener delivers.
    @usableFromInline package final var isAside = false
    /// Whether it wants to be told what is so when it begins to listen.
    @usableFromInline package final var isGreeted = true
    /// Its place among those who listen to the same; none while that does not know of it.
    @usableFromInline final var place: Int32 = -1
    /// The node that listens; nil for a watcher, who is outside the graph.
    @usableFromInline package final let listener: Node?

    @inlinable
    init(listener: Node?) {
        self.listener = listener
    }

    /// Whether the one listened to knows of it.
    @inlinable final var isAttached: Bool { place >= 0 }

    /// The node that is listened to.
    package var origin: Node? { nil }

    /// Stops listening, at once.
    @usableFromInline
    package func cancel() {}
}

/// One listener of one observable.
@usableFromInline
package final class Link<Value>: AnyLink {
    @usableFromInline let source: Observable<Value>
    @usableFromInline package let receive: (Value) -> Void
    /// What to do at the end; where it is nil, the listener ends likewise.
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
