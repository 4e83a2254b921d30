internal import Glibc
import Ground
package import Platform
package import Reactive
internal import StateStore

/// A thread that runs a node: jobs and alarms. Its clock goes on while the machine sleeps, so that a lease runs out.
package final class NodeThread: Executor {
    private let jobs = Lock<[@Sendable () -> Void]>([])
    private let condition = Condition()
    private let clock = Confined(BootScheduler())
    private let thread: Lock<SystemThread?>

    /// Starts the thread.
    package init() throws(SystemThread.Failure) {
        let (jobs, condition, clock) = (jobs, condition, clock)
        thread = Lock(try SystemThread { Self.run(jobs, condition, clock.value) })
    }

    package var scheduler: any Scheduler { clock.value }

    /// The time of the clock in nanoseconds, on any thread.
    package static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    package func post(_ job: @escaping @Sendable () -> Void) {
        let isFirst = jobs.with { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
        if isFirst { condition.signal() }
    }

    /// Ends the thread after the jobs that were posted.
    package func end() {
        condition.stop()
        if let thread = thread.withLock({ $0.take() }) { thread.join() }
    }

    private static func run(_ jobs: Lock<[@Sendable () -> Void]>, _ condition: Condition, _ clock: BootScheduler) {
        while true {
            let taken = jobs.with { jobs in
                defer { jobs = [] }
                return jobs
            }
            for job in taken { job() }
            clock.advance()
            if !taken.isEmpty { continue }
            let left = clock.next.map { $0 - now }
            if condition.wait(until: left.map { MonotonicTime.now + max(0, $0) }) == .stopped,
                jobs.with({ $0.isEmpty })
            {
                return
            }
        }
    }
}

/// The alarms of a thread, by the time since the machine started.
private final class BootScheduler: Scheduler {
    private let alarms = AlarmQueue()

    var now: Instant { Instant(nanoseconds: NodeThread.now) }

    func set(_ alarm: Alarm) { alarms.insert(alarm) }

    var next: Int64? { alarms.next?.nanoseconds }

    func advance() {
        let now = now
        while let alarm = alarms.popFirst(dueBy: now) { alarm.fire() }
    }
}
