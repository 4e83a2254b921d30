import Reactive
import StateStore

/// The requests of one loop that wait until its store shows a moment of a space.
///
/// What the copy of the journal has is not shown yet: the store takes it later, and may have to load the space again.
final class ShownWaits {
    /// The time that a request waits for what it must see.
    static let patience = Duration.seconds(3)
    /// The first and the last time between two looks at what the store shows.
    private static let firstNanoseconds: Int64 = 5_000_000
    private static let lastNanoseconds: Int64 = 80_000_000

    private let store: Store
    private let executor: LoopExecutor

    init(_ store: Store, on executor: LoopExecutor) {
        (self.store, self.executor) = (store, executor)
    }

    /// Returns true if the next read of a space shows a moment or a later one.
    func shows(_ moment: Moment, in space: SpaceName) -> Bool {
        if moment == .beginning { return true }
        guard store.shownCommon >= moment.common else { return false }
        guard let shown = store.shown(of: space) else { return moment.version == 0 }
        return shown.version >= moment.version && shown.common >= moment.common
    }

    /// Calls `done` with true once the store shows a moment of a space, and with `isSettled` also the commits that it has
    /// made by now. Calls it with false at the deadline.
    func wait(
        for moment: Moment, in space: SpaceName, isSettled: Bool = false, until deadline: Int64,
        _ done: @escaping (Bool) -> Void
    ) {
        if isOver(moment, space), !isSettled || store.isSettled(space) { return done(true) }
        let wait = TimedWait(until: Instant(nanoseconds: deadline), on: executor.scheduler, done)
        guard isSettled else { return look(wait, for: moment, in: space) }
        store.whenSettled(space) { [weak self] in self?.look(wait, for: moment, in: space) }
    }

    /// Returns true if the store shows a moment of a space, or if another loop serves the space now: the request goes there,
    /// and waits there.
    private func isOver(_ moment: Moment, _ space: SpaceName) -> Bool {
        store.isElsewhere(space) || shows(moment, in: space)
    }

    /// Looks whether the store shows a moment, and looks again later, less and less often: thousands may wait.
    private func look(
        _ wait: TimedWait, for moment: Moment, in space: SpaceName, after delay: Int64 = ShownWaits.firstNanoseconds
    ) {
        guard !wait.isOver else { return }
        if isOver(moment, space) { return wait.end(true) }
        if store.shown(of: space) == nil {
            // A failure to load the space is that of the next look, too.
            store.whenHere(space) { [weak self] _ in
                if self?.shows(moment, in: space) ?? false { wait.end(true) }
            }
            guard !wait.isOver else { return }
        }
        executor.alarms.after(nanoseconds: delay) { [weak self] in
            self?.look(wait, for: moment, in: space, after: min(delay * 2, Self.lastNanoseconds))
        }
    }
}
