import Reactive
import StateStore

/// The requests of one loop that wait until its store shows a moment of a space.
///
/// What the copy of the journal has is not shown yet: the store takes it later, and may have to load the space again.
final class ShownWaits {
    /// The time between two looks at what the store shows.
    private static let lookNanoseconds: Int64 = 5_000_000

    private let store: Store
    private let executor: LoopExecutor

    init(_ store: Store, on executor: LoopExecutor) {
        (self.store, self.executor) = (store, executor)
    }

    /// Returns true if the next read of a space shows a moment or a later one.
    func shows(_ moment: Moment, in space: SpaceName) -> Bool {
        if moment == .beginning { return true }
        guard (store.shown(of: .common)?.common ?? 0) >= moment.common else { return false }
        guard let shown = store.shown(of: space) else { return moment.version == 0 }
        return shown.version >= moment.version && shown.common >= moment.common
    }

    /// Calls `done` with true once the store shows a moment of a space, and with `isSettled` also the commits that it has
    /// made by now. Calls it with false at the deadline.
    func wait(
        for moment: Moment, in space: SpaceName, isSettled: Bool = false, until deadline: Int64,
        _ done: @escaping (Bool) -> Void
    ) {
        if !isSettled || store.isSettled(space), shows(moment, in: space) { return done(true) }
        let wait = ShownWait(moment, space, done)
        let alarm = Alarm(at: Instant(nanoseconds: deadline)) { _ in wait.end(false) }
        wait.alarm = alarm
        executor.alarms.set(alarm)
        guard isSettled else { return look(wait) }
        store.whenSettled(space) { [weak self] in self?.look(wait) }
    }

    private func look(_ wait: ShownWait) {
        guard !wait.isOver else { return }
        if shows(wait.moment, in: wait.space) { return wait.end(true) }
        // A failure to load the space is that of the next look, too.
        if store.shown(of: wait.space) == nil { store.whenHere(wait.space) { _ in } }
        executor.alarms.after(nanoseconds: Self.lookNanoseconds) { [weak self] in self?.look(wait) }
    }
}

/// A request that waits until a store shows a moment of a space.
private final class ShownWait {
    let moment: Moment
    let space: SpaceName
    var alarm: Alarm?
    private var done: ((Bool) -> Void)?

    init(_ moment: Moment, _ space: SpaceName, _ done: @escaping (Bool) -> Void) {
        (self.moment, self.space, self.done) = (moment, space, done)
    }

    var isOver: Bool { done == nil }

    /// Ends the wait. The second call does nothing.
    func end(_ isShown: Bool) {
        alarm?.cancel()
        alarm = nil
        let done = done
        self.done = nil
        done?(isShown)
    }
}
