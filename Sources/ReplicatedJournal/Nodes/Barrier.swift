internal import StateStore

/// The requests for a fresh read of a lane that another node owns.
///
/// One question to the owner is under way at a time. A request that comes meanwhile waits for the next one: the owner
/// may have answered before the commits that the request must see.
final class Barrier {
    private var asked: [TimedWait] = []
    private var waiting: [TimedWait] = []
    private(set) var isAsking = false
    /// True if the owner is to be told what was applied, also if nobody waits for its answer.
    var isOwed = false

    func add(_ waiter: TimedWait) {
        waiting.append(waiter)
    }

    /// Begins a question. Returns false if one is under way, or if there is no reason for one.
    func begin() -> Bool {
        waiting.removeAll { $0.isOver }
        guard !isAsking, isOwed || !waiting.isEmpty else { return false }
        isAsking = true
        isOwed = false
        asked = waiting
        waiting = []
        return true
    }

    /// Ends a question, and returns those that it was asked for.
    func answered() -> [TimedWait] {
        isAsking = false
        defer { asked = [] }
        return asked
    }

    /// Ends a question without an answer: it must be asked again.
    func failed() {
        isAsking = false
        waiting = asked.filter { !$0.isOver } + waiting
        asked = []
    }
}
