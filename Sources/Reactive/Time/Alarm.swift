/// Something to be done at a point in time, unless it is cancelled before.
public final class Alarm {
    /// When it is due.
    public let instant: Instant
    /// Whether it was cancelled.
    public private(set) var isCancelled = false
    private var action: ((Alarm) -> Void)?

    /// Where it waits.
    weak var queue: AlarmQueue?
    /// Its place in the queue.
    var position = 0
    /// Breaks ties: of two that are due at once, the one that was set first goes first.
    var sequence: UInt64 = 0

    /// An alarm that does `action` at `instant`, once a scheduler has it.
    public init(at instant: Instant, _ action: @escaping (Alarm) -> Void) {
        self.instant = instant
        self.action = action
    }

    /// Has something done right before what it was set for, if that is ever done.
    package func precede(with body: @escaping () -> Void) {
        guard let action else { return }
        self.action = { alarm in
            body()
            action(alarm)
        }
    }

    /// Ends it: it does nothing from now on, and takes no room in its scheduler.
    public func cancel() {
        isCancelled = true
        action = nil
        queue?.remove(self)
    }

    /// Does what it was set for, once. For the scheduler that it was given to.
    public func fire() {
        let action = action
        self.action = nil
        action?(self)
    }
}
