import Platform

/// The last actions in queues that no commit has carried, of spaces that have left memory: refusals, and actions that
/// changed nothing. All stores of a process share them, because a space may return in another store.
final class UncarriedActions: Sendable {
    /// The maximum number of actions. Those of the spaces that left first are dropped for more.
    static let limit = 10_000

    private struct UncarriedState {
        var bySpace: [SpaceName: [String: LastAction]] = [:]
        /// The spaces in the order in which they left; one that has returned may stand there again.
        var order: [SpaceName] = []
        var count = 0

        mutating func remove(_ space: SpaceName) -> [String: LastAction] {
            let actions = bySpace.removeValue(forKey: space) ?? [:]
            count -= actions.count
            return actions
        }
    }

    private let state = Lock(UncarriedState())

    /// Keeps the actions of a space, by client and subject.
    func keep(_ actions: [String: LastAction], of space: SpaceName) {
        guard !actions.isEmpty else { return }
        state.with { state in
            _ = state.remove(space)
            state.bySpace[space] = actions
            state.count += actions.count
            state.order.append(space)
            guard state.count > Self.limit || state.order.count > 2 * Self.limit else { return }
            let half = state.order.count / 2
            for space in state.order[..<half] { _ = state.remove(space) }
            state.order.removeFirst(half)
        }
    }

    /// Returns the actions of a space that has returned.
    func take(_ space: SpaceName) -> [String: LastAction] { state.with { $0.remove(space) } }
}
