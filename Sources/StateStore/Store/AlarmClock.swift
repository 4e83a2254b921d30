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
    /// Loads a space, and calls the closure on the first executor when the space has looked at its alarms. The closure
    /// receives false if the space could not be loaded.
    private let wake: (SpaceName, @escaping (Bool) -> Void) -> Void
    private var alarm: Alarm?
    private var due: Timestamp?
    /// True while the clock waits for the journal or for spaces.
    private var isBusy = false
    private var isOpen = true

    init(
        _ writer: any JournalWriter, on executor: any Executor, now: @escaping () -> Timestamp,
        wake: @escaping (SpaceName, @escaping (Bool) -> Void) -> Void
    ) {
        self.writer = writer
        self.executor = executor
        self.now = now
        self.wake = wake
    }

    /// Ends the clock.
    func close() {
        isOpen = false
        alarm?.cancel()
    }

    /// Notes the alarm of a space that is being unloaded.
    func note(_ time: Timestamp) {
        guard isOpen, due.map({ time < $0 }) ?? true else { return }
        set(time)
    }

    private func set(_ time: Timestamp, after least: Duration = .zero) {
        due = time
        alarm?.cancel()
        let scheduler = executor.scheduler
        let left = Duration.microseconds(max(0, time.microseconds - now().microseconds))
        let next = Alarm(at: scheduler.now + max(left, least)) { [unowned self] _ in look() }
        alarm = next
        scheduler.set(next)
    }

    /// Looks for alarms that are due, and for the next one.
    func look() {
        guard isOpen, !isBusy else { return }
        isBusy = true
        due = nil
        let time = now()
        let owned = Confined(self)
        writer.read(
            for: executor,
            { journal in
                do throws(JournalFailure) {
                    let alarms = try journal.alarms(upTo: time, limit: Self.loadsAtOnce)
                    return Result<([SpaceAlarm], Timestamp?), JournalFailure>.success(
                        (alarms, alarms.isEmpty ? try journal.nextAlarm() : nil))
                } catch {
                    return .failure(error)
                }
            },
            then: { found in owned.value.take(found, upTo: time) })
    }

    private func take(_ found: Result<([SpaceAlarm], Timestamp?), JournalFailure>, upTo time: Timestamp) {
        guard isOpen else { return }
        guard case .success(let (alarms, next)) = found else {
            isBusy = false
            return set(time, after: Self.retryDelay)
        }
        guard !alarms.isEmpty else {
            isBusy = false
            if let next { set(min(next, due ?? next)) }
            return
        }
        var left = alarms.count
        var isWaiting = false
        for alarm in alarms {
            wake(alarm.space) { [self] isDone in
                left -= 1
                isWaiting = isWaiting || !isDone
                guard left == 0 else { return }
                isBusy = false
                // A space that could not be loaded stays in the journal: it is tried again later.
                if isWaiting { set(time, after: Self.retryDelay) } else { look() }
            }
        }
    }
}
