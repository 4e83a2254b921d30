import Reactive
import StateStore

/// A writer whose threads a test turns by hand: one appends commits in batches, one reads, one performs other writes.
final class LateJournalWriter: JournalWriter, @unchecked Sendable {
    // Sendable because everything of a test runs on one thread.
    let journal: any Journal
    private var fences = GenerationFences()
    private var submissions: [Submission] = []
    private var reads: [() -> Void] = []
    private var writes: [() -> Void] = []

    init(_ journal: any Journal) {
        self.journal = journal
    }

    /// True if no thread has anything to do.
    var isIdle: Bool { submissions.isEmpty && reads.isEmpty && writes.isEmpty }

    func submit(_ submission: Submission) -> SubmitResult {
        submissions.append(submission)
        return .underWay
    }

    func load(_ request: LoadRequest) {
        read(for: request.submitter.executor) {
            $0.load(all: [request.space])
        } then: { contents in
            for content in contents { request.answer(content) }
        }
    }

    func read<Value: Sendable>(
        for executor: any Executor, _ work: @escaping @Sendable (any Journal) -> Value,
        then: @escaping @Sendable (Value) -> Void
    ) {
        reads.append(job(for: executor, work, then))
    }

    func write<Value: Sendable>(
        for executor: any Executor, _ work: @escaping @Sendable (any Journal) -> Value,
        then: @escaping @Sendable (Value) -> Void
    ) {
        writes.append(job(for: executor, work, then))
    }

    private func job<Value: Sendable>(
        for executor: any Executor, _ work: @escaping @Sendable (any Journal) -> Value,
        _ then: @escaping @Sendable (Value) -> Void
    ) -> () -> Void {
        { [journal] in
            let value = work(journal)
            executor.post { then(value) }
        }
    }

    /// Lets one of the threads do its next thing: the appending one takes up to `batch` commits.
    func turn(_ thread: Int, batch: Int) {
        switch thread {
        case 0:
            guard !submissions.isEmpty else { return }
            let count = min(batch, submissions.count)
            let taken = Array(submissions.prefix(count))
            submissions.removeFirst(count)
            Submission.report(taken, taken.map { append($0) })
        case 1: if !reads.isEmpty { reads.removeFirst()() }
        default: if !writes.isEmpty { writes.removeFirst()() }
        }
    }

    private func append(_ submission: Submission) -> CommitStatus {
        if fences.isEnded(submission) { return .moved }
        let status: CommitStatus
        do throws(JournalFailure) {
            status = try journal.append(one: submission.record) == .kept ? .stored : .moved
        } catch {
            status = .failed(error)
        }
        if case .stored = status { return status }
        fences.end(submission)
        return status
    }

    @discardableResult
    func close() -> JournalFailure? { journal.close() }
}
