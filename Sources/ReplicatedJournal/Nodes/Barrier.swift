internal import Reactive

/// The requests for a fresh read of a lane that another node owns.
///
/// One question to the owner is under way at a time. A request that comes meanwhile waits for the next one: the owner
/// may have answered before the commits that the request must see.
final class Barrier {
    /// A request for a fresh read.
    final class FreshRead {
        private var done: ((Bool) -> Void)?
        var alarm: Alarm?

        init(_ done: @escaping (Bool) -> Void) {
            self.done = done
        }

        var isDone: Bool { done == nil }

        /// Ends the wait. The second call does nothing.
        func end(_ isFresh: Bool) {
            alarm?.cancel()
            let done = done
            self.done = nil
            done?(isFresh)
        }
    }

    private var asked: [FreshRead] = []
    private var waiting: [FreshRead] = []
    private(set) var isAsking = false
    /// True if the owner is to be told what was applied, also if nobody waits for its answer.
    var isOwed = false

    func add(_ waiter: FreshRead) {
        waiting.append(waiter)
    }

    /// Begins a question. Returns false if one is under way, or if there is no reason for one.
    func begin() -> Bool {
        waiting.removeAll { $0.isDone }
        guard !isAsking, isOwed || !waiting.isEmpty else { return false }
        isAsking = true
        isOwed = false
        asked = waiting
        waiting = []
        return true
    }

    /// Ends a question, and returns those that it was asked for.
    func answered() -> [FreshRead] {
        isAsking = false
        defer { asked = [] }
        return asked
    }

    /// Ends a question without an answer: it must be asked again.
    func failed() {
        isAsking = false
        waiting = asked.filter { !$0.isDone } + waiting
        asked = []
    }
}
