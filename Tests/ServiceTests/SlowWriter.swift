import Hosting
import StateStore

/// A writer whose disk can be slow: then it brings no commit to an end, or tells what it has read only later.
final class SlowWriter: JournalWriter, @unchecked Sendable {
    // Sendable because a service in process has one thread.
    private let inner = InlineJournalWriter(MemoryJournal(history: 10))
    private var untold: [() -> Void] = []
    /// True while no commit comes to an end.
    var isStuck = false
    /// True while nothing is told of what was read.
    var holdsReads = false

    var journal: any Journal { inner.journal }

    func submit(_ submission: Submission) -> SubmitResult { isStuck ? .underWay : inner.submit(submission) }

    func load(_ request: LoadRequest) { inner.load(request) }

    func read<Value: Sendable>(
        for executor: any Executor, _ work: @escaping @Sendable (any Journal) -> Value,
        then: @escaping @Sendable (Value) -> Void
    ) {
        let value = work(journal)
        if holdsReads { untold.append { then(value) } } else { then(value) }
    }

    func write<Value: Sendable>(
        for executor: any Executor, _ work: @escaping @Sendable (any Journal) -> Value,
        then: @escaping @Sendable (Value) -> Void
    ) { inner.write(for: executor, work, then: then) }

    /// Tells what was read.
    func tellReads(holdingNext: Bool = false) {
        holdsReads = holdingNext
        let told = untold
        untold = []
        for one in told { one() }
    }

    func close() -> JournalFailure? { inner.close() }
}
