/// A writer for a journal that never blocks: it appends and reads within the call, on the calling thread.
package final class InlineJournalWriter: JournalWriter {
    /// The journal.
    package let journal: any Journal

    /// A writer of a journal.
    package init(_ journal: any Journal) {
        self.journal = journal
    }

    /// Appends a commit.
    package func submit(_ submission: Submission) -> SubmitResult {
        let status = submission.submitter.fences.append(submission, to: journal)
        if case .stored = status { return .stored }
        return .undone(SubmissionOutcome(submission, status))
    }

    /// Loads the content of a space within the call.
    package func load(_ request: LoadRequest) {
        for content in journal.load(all: [request.space]) { request.answer(content) }
    }

    /// Runs `work`, then `then`.
    package func read<Value: Sendable>(
        for executor: any Executor, _ work: @escaping @Sendable (any Journal) -> Value,
        then: @escaping @Sendable (Value) -> Void
    ) {
        then(work(journal))
    }

    /// Runs `work`, then `then`.
    package func write<Value: Sendable>(
        for executor: any Executor, _ work: @escaping @Sendable (any Journal) -> Value,
        then: @escaping @Sendable (Value) -> Void
    ) {
        then(work(journal))
    }

    /// Closes the journal.
    @discardableResult
    package func close() -> JournalFailure? {
        journal.close()
    }
}
