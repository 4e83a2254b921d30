/// An action at a point in time that can be cancelled.
public final class Alarm {
    /// The time at which the alarm is due.
    public let instant: Instant
    /// True if the alarm was cancelled.
    public private(set) var isCancelled = false
    private var action: ((Alarm) -> Void)?

    /// The queue that holds the alarm.
    weak var queue: AlarmQueue?
    /// The index of the alarm in the queue's heap.
    var position = 0
    /// The tie-breaker: of two alarms due at the same time, the one set first fires first.
    var sequence: UInt64 = 0

    /// Creates an alarm that runs `action` at `instant`, once a scheduler holds it.
    public init(at instant: Instant, _ action: @escaping (Alarm) -> Void) {
        self.instant = instant
        self.action = action
    }

    /// Adds an action that runs right before the alarm's own.
    package func precede(with body: @escaping () -> Void) {
        guard let action else { return }
        self.action = { alarm in
            body()
            action(alarm)
        }
    }

    /// Cancels the alarm: it does nothing from now on and takes no room in its scheduler.
    public func cancel() {
        isCancelled = true
        action = nil
        queue?.remove(self)
    }

    /// Runs the action, once. Called by the scheduler that holds the alarm.
    public func fire() {
        let action = action
        self.action = nil
        action?(self)
    }
}
