/// One listener of one node, whatever the type of its values.
@usableFromInline
package class AnyLink {
    /// Whether it still listens; one that does not is passed over, and removed when nobody is going through the list.
    @usableFromInline package final var isLive = true
    /// Whether what comes this way only says when or what, and is not what the listener delivers.
    @usableFromInline package final var isSideInput = false
    /// Whether it wants to be told what is so when it begins to listen.
    @usableFromInline package final var wantsReplay = true
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
