import Synchronization

/// The time by which the earliest alarm of a space that is not loaded is late, for metrics. Threads read it.
final class AlarmLateness: Sendable {
    private let microseconds = Atomic<Int64>(0)

    /// The seconds.
    var seconds: Double { Double(microseconds.load(ordering: .relaxed)) / 1e6 }

    /// Notes that an alarm for `time` goes off at `now`; nil for no late alarm.
    func note(_ time: Timestamp?, at now: Timestamp) {
        let late = time.map { max(0, now.microseconds - $0.microseconds) } ?? 0
        microseconds.store(late, ordering: .relaxed)
    }
}
