import Ground
import Reactive

/// The beginning of recurring schedules in the spaces that are not loaded. The starter reads the names of the journal's
/// spaces, and loads those without an early alarm: each begins its schedules in a commit, whose alarm the journal keeps.
///
/// It runs on the first executor, when a document with recurring schedules comes and after a start.
final class ScheduleStarter {
    private static let loadsAtOnce = 64

    private let writer: any JournalWriter
    private let executor: any Executor
    private let pace: WakePace
    private let now: () -> Timestamp
    /// Returns true if this process makes the commits of a space.
    private let owns: @Sendable (SpaceName) -> Bool
    /// False once the stores are closed.
    private let isOpen: () -> Bool
    /// Loads a space, and calls the closure on the first executor when it has begun, or could not be loaded.
    private let wake: (SpaceName, @escaping () -> Void) -> Void
    /// The number of the present walk. A later walk ends it.
    private var walk = 0

    init(
        _ writer: any JournalWriter, on executor: any Executor, _ pace: WakePace, now: @escaping () -> Timestamp,
        owns: @escaping @Sendable (SpaceName) -> Bool, isOpen: @escaping () -> Bool,
        wake: @escaping (SpaceName, @escaping () -> Void) -> Void
    ) {
        (self.writer, self.executor, self.pace, self.now) = (writer, executor, pace, now)
        (self.owns, self.isOpen, self.wake) = (owns, isOpen, wake)
    }

    /// Begins the schedules of a catalog. With `changed`, the named features have new definitions; then every space may
    /// lack the beginning of one. Without it, a space with an early alarm has begun its schedules, or does so then.
    func begin(_ catalog: FeatureCatalog, changed: Set<String>? = nil) {
        let time = now()
        if catalog.latestAlarm(in: .common, of: changed, after: time) != nil, owns(.common) { wake(.common) {} }
        guard let latest = catalog.latestAlarm(in: .space, of: changed, after: time) else { return }
        walk += 1
        step(walk, after: nil, beyond: changed == nil ? latest : time)
    }

    private func step(_ walk: Int, after name: SpaceName?, beyond time: Timestamp) {
        guard isOpen(), walk == self.walk else { return }
        let count = pace.take(Self.loadsAtOnce, at: now())
        guard count > 0 else { return wait(until: pace.end) { $0.step(walk, after: name, beyond: time) } }
        let owned = Confined(self)
        writer.read(
            for: executor,
            { journal in
                do throws(JournalFailure) {
                    return Result<[SpaceName], JournalFailure>.success(
                        try journal.spaces(after: name, limit: count, alarmedAfter: time))
                } catch {
                    return .failure(error)
                }
            },
            then: { found in owned.value.take(found, in: walk, after: name, beyond: time) })
    }

    private func take(
        _ found: Result<[SpaceName], JournalFailure>, in walk: Int, after name: SpaceName?, beyond time: Timestamp
    ) {
        guard isOpen(), walk == self.walk else { return }
        guard case .success(let spaces) = found else {
            return wait(until: now() + .seconds(10)) { $0.step(walk, after: name, beyond: time) }
        }
        guard let last = spaces.last else { return }
        let own = spaces.filter { $0 != .common && owns($0) }
        guard !own.isEmpty else { return step(walk, after: last, beyond: time) }
        var left = own.count
        for space in own {
            wake(space) { [self] in
                left -= 1
                if left == 0 { step(walk, after: last, beyond: time) }
            }
        }
    }

    private func wait(until time: Timestamp, _ body: @escaping (ScheduleStarter) -> Void) {
        let scheduler = executor.scheduler
        scheduler.set(
            Alarm(at: scheduler.now + max(.zero, time - now())) { [weak self] _ in
                if let self { body(self) }
            })
    }
}
