/// What a node's values are: something that is so until the next value, and of which a newcomer is told, or something that has happened.
@usableFromInline
package enum Statefulness {
    /// Things that have happened.
    case never
    /// What is so, where that is true of all it listens to.
    case ifAllSources
    /// What is so, where that is true of any it listens to.
    case ifAnySource
}

extension Node {
    /// Whether the latest value is something that is so.
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
