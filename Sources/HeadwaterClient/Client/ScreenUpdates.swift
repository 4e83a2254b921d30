import Synchronization

/// The updates of the main actor's values. All updates of one step, and of all steps that are waiting, happen in one turn of
/// the main actor, so a screen never shows a part of a commit.
final class ScreenUpdates: Sendable {
    private struct PlannedUpdates {
        var updates: [@MainActor @Sendable () -> Void] = []
        var isPlanned = false
    }

    private let state = Mutex(PlannedUpdates())

    func add(_ updates: [@MainActor @Sendable () -> Void]) {
        guard !updates.isEmpty else { return }
        let isFirst = state.withLock { state in
            state.updates += updates
            defer { state.isPlanned = true }
            return !state.isPlanned
        }
        if isFirst { Task { @MainActor in self.perform() } }
    }

    @MainActor private func perform() {
        let updates = state.withLock { state in
            defer { state = PlannedUpdates() }
            return state.updates
        }
        for update in updates { update() }
    }
}
