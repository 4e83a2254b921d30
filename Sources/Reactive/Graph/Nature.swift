/// What a node's values are: something that is so until the next value, and of which a newcomer is told, or something that has happened.
@usableFromInline
package enum Nature {
    /// Things that have happened.
    case events
    /// What is so, where that is true of all it listens to.
    case asAllSources
    /// What is so, where that is true of any it listens to.
    case asAnySource
}

extension Node {
    /// Whether the latest value is something that is so.
    @usableFromInline
    final var reflectsState: Bool {
        var known: [ObjectIdentifier: Bool] = [:]
        return reflectsState(&known)
    }

    private final func reflectsState(_ known: inout [ObjectIdentifier: Bool]) -> Bool {
        guard nature != .events else { return false }
        if let answer = known[ObjectIdentifier(self)] { return answer }
        var states = 0
        var events = 0
        var walk = sources.walk()
        while let link = unsafe sources.next(of: &walk) {
            unsafe link._withUnsafeGuaranteedRef { link in
                guard !link.isAside, let origin = link.origin else { return }
                if origin.reflectsState(&known) { states += 1 } else { events += 1 }
            }
        }
        let answer = events == 0 || nature == .asAnySource && states > 0
        known[ObjectIdentifier(self)] = answer
        return answer
    }
}
