import Ground
import Reactive

/// The alarms of spaces that are not loaded. When an alarm is due, the clock loads its space, and the space makes its
/// commit by time.
///
/// The journal holds the alarms, so a sleeping space costs a row there and no memory here. The clock runs on the first
/// executor, and loads at most `loadsAtOnce` spaces at a time, in the order of their alarms.
final class AlarmClock {
    private static let loadsAtOnce = 64
    /// The delay before a look at the journal is repeated after a failure, or while spaces do not follow their alarms.
    private static let retryDelay = Duration.seconds(10)

    private let writer: any JournalWriter
    private let executor: any Executor
    private let now: () -> Timestamp
    /// Loads a space, and calls the closure on the first executor when the alarms of the space have gone off, or the
    /// space could not be loaded.
    private let wake: (SpaceName, @escaping () -> Void) -> Void
    private var alarm: Alarm?
    private var due: Timestamp?
    /// True while the clock waits for the journal or for spaces.
    private var isBusy = false
    /// The spaces that were woken since the clock last found nothing to do. Each has alarms of its own from then on.
    private var woken: Set<SpaceName> = []
    /// Returns true if this process makes the commits of a space.
    private let owns: @Sendable (SpaceName) -> Bool
    /// False once the stores are closed.
    private let isOpen: () -> Bool

    init(
        _ writer: any JournalWriter, on executor: any Executor, now: @escaping () -> Timestamp,
        owns: @escaping @Sendable (SpaceName) -> Bool, isOpen: @escaping () -> Bool,
        wake: @escaping (SpaceName, @escaping () -> Void) -> Void
    ) {
        self.writer = writer
        self.executor = executor
        self.now = now
        self.isOpen = isOpen
        self.owns = owns
        self.wake = wake
    }

    /// Notes the alarm of a space that is being unloaded.
    func note(_ time: Timestamp) {
        guard isOpen(), due.map({ time < $0 }) ?? true else { return }
        set(time)
    }

    private func set(_ time: Timestamp, after least: Duration = .zero) {
        due = time
        alarm?.cancel()
        let scheduler = executor.scheduler
        let left = Duration.microseconds(max(0, time.microseconds - now().microseconds))
        let next = Alarm(at: scheduler.now + max(left, least)) { [weak self] _ in self?.look() }
        alarm = next
        scheduler.set(next)
    }

    /// Looks for alarms that are due, and for the next one.
    func look() {
        guard isOpen(), !isBusy else { return }
        isBusy = true
        due = nil
        let time = now()
        let owned = Confined(self)
        let limit = Self.loadsAtOnce + woken.count
        writer.read(
            for: executor,
            { journal in
                do throws(JournalFailure) {
                    let alarms = try journal.alarms(upTo: time, limit: limit)
                    return Result<([SpaceAlarm], Timestamp?), JournalFailure>.success(
                        (alarms, alarms.isEmpty ? try journal.nextAlarm() : nil))
                } catch {
                    return .failure(error)
                }
            },
            then: { found in owned.value.take(found, upTo: time) })
    }

    private func take(_ found: Result<([SpaceAlarm], Timestamp?), JournalFailure>, upTo time: Timestamp) {
        guard isOpen() else { return }
        guard case .success(let (alarms, next)) = found else {
            isBusy = false
            return set(time, after: Self.retryDelay)
        }
        let sleeping = alarms.map(\.space).filter { !woken.contains($0) && owns($0) }
        guard !sleeping.isEmpty else {
            isBusy = false
            woken = []
            // A space that could not be loaded stays in the journal: it is tried again later.
            if !alarms.isEmpty { return set(time, after: Self.retryDelay) }
            if let next { set(min(next, due ?? next)) }
            return
        }
        woken.formUnion(sleeping)
        var left = sleeping.count
        for space in sleeping {
            wake(space) { [self] in
                left -= 1
                guard left == 0 else { return }
                isBusy = false
                look()
            }
        }
    }
}
