import Reactive

/// A request that waits until this node has the rows in memory only of a space.
final class RowsWait {
    private var done: ((Bool) -> Void)?
    var alarm: Alarm?

    init(_ done: @escaping (Bool) -> Void) {
        self.done = done
    }

    var isOver: Bool { done == nil }

    /// Ends the wait. The second call does nothing.
    func end(_ isHere: Bool) {
        alarm?.cancel()
        alarm = nil
        let done = done
        self.done = nil
        done?(isHere)
    }
}
