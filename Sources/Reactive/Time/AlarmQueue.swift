/// Alarms ordered by due time; alarms due at the same time in the order they were set. A binary heap in which each
/// alarm stores its index, so that setting and cancelling cost O(log n).
public final class AlarmQueue {
    private var heap: [Alarm] = []
    private var sequence: UInt64 = 0

    /// Creates a queue without alarms.
    public init() {}

    /// The number of alarms.
    public var count: Int { heap.count }

    /// The due time of the next alarm.
    public var next: Instant? { heap.first?.instant }

    /// Inserts an alarm.
    public func insert(_ alarm: Alarm) {
        guard !alarm.isCancelled else { return }
        precondition(alarm.queue == nil, "an alarm was set twice")
        sequence += 1
        alarm.sequence = sequence
        alarm.queue = self
        alarm.position = heap.count
        heap.append(alarm)
        rise(from: alarm.position)
    }

    /// Removes and returns the next alarm if it is due by `instant`.
    public func popFirst(dueBy instant: Instant) -> Alarm? {
        guard let first = heap.first, first.instant <= instant else { return nil }
        remove(first)
        return first
    }

    func remove(_ alarm: Alarm) {
        let position = alarm.position
        alarm.queue = nil
        let last = heap.removeLast()
        guard last !== alarm else { return }
        place(last, at: position)
        rise(from: position)
        sink(from: last.position)
    }

    private func isBefore(_ one: Alarm, _ other: Alarm) -> Bool {
        one.instant == other.instant ? one.sequence < other.sequence : one.instant < other.instant
    }

    private func place(_ alarm: Alarm, at position: Int) {
        heap[position] = alarm
        alarm.position = position
    }

    private func rise(from start: Int) {
        let alarm = heap[start]
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard isBefore(alarm, heap[parent]) else { break }
            place(heap[parent], at: position)
            position = parent
        }
        place(alarm, at: position)
    }

    private func sink(from start: Int) {
        let alarm = heap[start]
        var position = start
        while true {
            var child = 2 * position + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, isBefore(heap[child + 1], heap[child]) { child += 1 }
            guard isBefore(heap[child], alarm) else { break }
            place(heap[child], at: position)
            position = child
        }
        place(alarm, at: position)
    }
}
