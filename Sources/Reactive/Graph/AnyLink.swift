/// One listener of one node, without the type of its values.
@usableFromInline
package class AnyLink {
    /// True if the link still listens. A dead link is skipped, and removed when no walk is under way.
    @usableFromInline package final var isLive = true
    /// True if the link is a side input: it decides when or which values the listener delivers, and its values are not
    /// delivered.
    @usableFromInline package final var isSideInput = false
    /// True if the link receives the latest value when it begins to listen.
    @usableFromInline package final var wantsReplay = true
    /// The link's index among the listeners of its origin; -1 if the origin does not hold the link.
    @usableFromInline final var place: Int32 = -1
    /// The node that listens; nil for an observer, which is outside the graph.
    @usableFromInline package final let listener: Node?

    @inlinable
    init(listener: Node?) {
        self.listener = listener
    }

    /// True if the origin holds the link.
    @inlinable final var isAttached: Bool { place >= 0 }

    /// The node that this link listens to.
    package var origin: Node? { nil }

    /// Stops listening at once.
    @usableFromInline
    package func cancel() {}
}
