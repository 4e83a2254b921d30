/// The rule that decides if a node is stateful. The values of a stateful node hold until the next value, and a new
/// listener receives the latest one. The values of other nodes are events, which do not replay.
@usableFromInline
package enum Statefulness {
    /// The node delivers events.
    case never
    /// The node is stateful if all its sources are.
    case ifAllSources
    /// The node is stateful if any of its sources is.
    case ifAnySource
}

extension Node {
    /// True if the latest value is state, so that a new listener receives it.
    @usableFromInline
    final var isStateful: Bool {
        var known: [ObjectIdentifier: Bool] = [:]
        return isStateful(&known)
    }

    private final func isStateful(_ known: inout [ObjectIdentifier: Bool]) -> Bool {
        guard statefulness != .never else { return false }
        if let handle = known[ObjectIdentifier(self)] { return handle }
        var states = 0
        var events = 0
        var walk = sources.walk()
        while let link = unsafe sources.next(of: &walk) {
            unsafe link._withUnsafeGuaranteedRef { link in
                guard !link.isSideInput, let origin = link.origin else { return }
                if origin.isStateful(&known) { states += 1 } else { events += 1 }
            }
        }
        let handle = events == 0 || statefulness == .ifAnySource && states > 0
        known[ObjectIdentifier(self)] = handle
        return handle
    }
}
