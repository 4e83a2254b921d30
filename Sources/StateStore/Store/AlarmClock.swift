import Ground
import Reactive

/// The alarms of spaces that are not loaded. When an alarm is due, the clock loads its space, and the space makes its
/// commit by time.
///
/// The journal holds the alarms, so a sleeping space costs a row there and no memory here. The clock runs on the first
/// executor, and loads at most `loadsAtOnce` spaces at a time, in the order of their alarms.
final class AlarmClock {
    private static let loadsAtOnce = 64
    /// The delay before a look at the journal is repeated after a failure, and before a space that did not follow its
    /// alarm is loaded again.
    private static let retryDelay = Duration.seconds(10)

    private let writer: any JournalWriter
    private let executor: any Executor
    private let now: () -> Timestamp
    /// Loads a space, and calls the closure on the first executor when the alarms of the space have gone off, or the
    /// space could not be loaded.
    private let wake: (SpaceName, @escaping () -> Void) -> Void
    private var alarm: Alarm?
    /// The time of the next look; while the clock is busy, the earliest time noted since the look.
    private var due: Timestamp?
    /// True while the clock waits for the journal or for spaces.
    private var isBusy = false
    /// The spaces that were woken since the clock last found nothing to do. Each has alarms of its own from then on.
    private var woken: Set<SpaceName> = []
    /// The spaces that were woken and did not follow their alarms, with the times at which they are woken again. They
    /// do not hold up the others.
    private var stuck: [SpaceName: Timestamp] = [:]
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

    private func set(_ time: Timestamp) {
        due = time
        alarm?.cancel()
        let scheduler = executor.scheduler
        let next = Alarm(at: scheduler.now + max(.zero, time - now())) { [weak self] _ in self?.look() }
        alarm = next
        scheduler.set(next)
    }

    /// Looks for alarms that are due, and for the next one. While the clock is busy, `due` stays, and the clock looks
    /// again afterwards.
    func look() {
        guard isOpen(), !isBusy else { return }
        isBusy = true
        due = nil
        let time = now()
        let owned = Confined(self)
        let wanted = Self.loadsAtOnce + woken.count + stuck.count
        writer.read(
            for: executor,
            { [owns] journal in
                do throws(JournalFailure) {
                    return Result<AlarmsFound, JournalFailure>.success(
                        try AlarmsFound(in: journal, at: time, wanted, owns))
                } catch {
                    return .failure(error)
                }
            },
            then: { found in owned.value.take(found, at: time) })
    }

    /// The spaces of this process whose alarms are due, and the time of the next alarm that is not due.
    private struct AlarmsFound {
        /// The maximum number of alarms that a look reads.
        private static let readLimit = 65_536

        let overdue: [SpaceName]
        let next: Timestamp?

        /// Reads until it has found `wanted` spaces. The spaces of other processes do not hide those of this one.
        init(
            in journal: any Journal, at time: Timestamp, _ wanted: Int, _ owns: (SpaceName) -> Bool
        ) throws(JournalFailure) {
            var limit = wanted + 1
            while true {
                let alarms = try journal.alarms(upTo: .latest, limit: limit)
                let due = alarms.prefix { $0.at <= time }
                let own = due.lazy.map(\.space).filter(owns)
                guard own.count < wanted, due.count == limit else {
                    overdue = Array(own.prefix(wanted))
                    next = due.count < alarms.count ? alarms[due.count].at : nil
                    return
                }
                guard limit < Self.readLimit else {
                    (overdue, next) = (Array(own), time + AlarmClock.retryDelay)
                    return
                }
                limit *= 2
            }
        }
    }

    private func take(_ found: Result<AlarmsFound, JournalFailure>, at time: Timestamp) {
        guard isOpen() else { return }
        guard case .success(let alarms) = found else {
            isBusy = false
            return set(time + Self.retryDelay)
        }
        let overdue = alarms.overdue
        let known = stuck
        stuck = known.filter { overdue.contains($0.key) }
        let sleeping = overdue.filter { !woken.contains($0) && (known[$0].map { $0 <= time } ?? true) }
        guard sleeping.isEmpty else { return wake(Array(sleeping.prefix(Self.loadsAtOnce))) }
        isBusy = false
        for space in overdue where woken.contains(space) { stuck[space] = time + Self.retryDelay }
        woken = []
        let times = Array(stuck.values) + [alarms.next, due].compactMap(\.self)
        if let next = times.min() { set(next) }
    }

    private func wake(_ spaces: [SpaceName]) {
        woken.formUnion(spaces)
        var left = spaces.count
        for space in spaces {
            wake(space) { [self] in
                left -= 1
                guard left == 0 else { return }
                isBusy = false
                look()
            }
        }
    }
}
