import Ground
import Platform
import ReplicatedJournal
import SQLiteJournal
import StateStore

/// The opening of a node's copy. A copy that lacks entries which the log has trimmed becomes a base from another node.
struct CopyFounding {
    private let directory: String
    private let history: Int
    private let node: String
    private let shared: any SharedLog
    private let thread: NodeThread
    private let log: Log
    /// Throws if the start is to end.
    private let check: () throws(JournalFailure) -> Void

    /// The time between two questions.
    private static let retryNanoseconds: Int64 = 500_000_000
    /// The number of questions without an answer after which a node that has a copy serves what it has.
    private static let questionsLimit = 3

    init(
        _ directory: String, history: Int, of node: String, _ shared: any SharedLog, _ thread: NodeThread, _ log: Log,
        check: @escaping () throws(JournalFailure) -> Void
    ) {
        (self.directory, self.history, self.node) = (directory, history, node)
        (self.shared, self.thread, self.log, self.check) = (shared, thread, log, check)
    }

    /// Opens the copy, and waits for a base if it needs one.
    func copy() throws(JournalFailure) -> SQLiteJournal {
        var copy = try open()
        let isNew = try ReplicatedJournal.settings(of: copy) == nil
        if isNew, try !copy.spaces(after: nil, limit: 1).isEmpty {
            throw JournalFailure(
                .unusable,
                "\(directory) is no copy of a cluster, and has spaces: make a cluster of it with headwater cluster restore, or use an empty directory"
            )
        }
        var questions = 0
        var isTold = false
        while true {
            try check()
            let request = Confined(BaseRequest(node, try copy.rows(), shared, on: thread))
            let lacks: Bool? = awaited { done in thread.post { request.value.look { done($0) } } }
            if lacks == false { return copy }
            questions += 1
            if lacks == true {
                if let failure = copy.close() { throw failure }
                let giver = take(request)
                copy = try open()
                if case .success(let name?) = giver {
                    log.write(.info, "the copy is a base of another node", [("giver", name)])
                    return copy
                }
                if !isTold {
                    let reason = if case .failure(let failure) = giver { failure.description } else { "none is alive" }
                    log.write(
                        .error,
                        "the log has trimmed entries that this node needs, and no node gives a base: start one, or restore the backup of one",
                        [("reason", reason)])
                }
                isTold = true
            } else if !isTold, isNew {
                log.write(.warning, "waiting for the settings of the cluster in its log")
                isTold = true
            }
            // A node that was part of the cluster serves what it has.
            if !isNew, questions >= Self.questionsLimit { return copy }
            _ = Condition().wait(until: MonotonicTime.now + Self.retryNanoseconds)
        }
    }

    private func open() throws(JournalFailure) -> SQLiteJournal {
        // No sync: what a crash loses is read from the log again.
        try SQLiteJournal(directory: directory, durability: .none, history: history)
    }

    private func take(_ request: Confined<BaseRequest>) -> Result<String?, JournalFailure> {
        awaited { [thread, directory] done in
            thread.post {
                request.value.take({ () throws(JournalFailure) in try BaseDraft(in: directory) }) { done($0) }
            }
        }
    }

    /// Waits for the value of one callback.
    private func awaited<Value: Sendable>(_ begin: (@escaping @Sendable (Value) -> Void) -> Void) -> Value {
        let (found, arrival) = (Lock<Value?>(nil), Condition())
        begin { value in
            found.with { $0 = value }
            arrival.signal()
        }
        while true {
            if let value = found.with({ $0 }) { return value }
            _ = arrival.wait()
        }
    }
}
